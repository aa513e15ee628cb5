// What a score was measured with, in sacreBLEU's layout, so that a number is never reported without it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace transformer::eval {

/// "nrefs:1|case:mixed|…|version:transformer-0.1.0": the number of references, the case ("lc" when
/// lower-cased), then the metric's own `fields`, then this scorer's name and version. Everything before the
/// last field equals what sacreBLEU prints for the same settings.
std::string format_signature(std::size_t references, bool lowercase,
                             const std::vector<std::pair<std::string_view, std::string>>& fields);

}  // namespace transformer::eval
