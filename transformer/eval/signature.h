// What a score was measured with, in sacreBLEU's layout, so that a number is never reported without it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace transformer::eval {

/// What was drawn at random for a score's interval or its tests; zeros: nothing.
struct Draws {
  int bootstrap = 0;      ///< samples
  int randomization = 0;  ///< trials
  std::uint64_t seed = 0;
};

/// What a metric adds to a signature: keys and values.
using SignatureFields = std::vector<std::pair<std::string_view, std::string>>;

/// "|bs:1000|ar:10000|seed:12345": what was drawn; empty where nothing was.
std::string format_draws(const Draws& draws);

/// "|version:transformer-0.1.0": this scorer's name and version.
std::string format_version();

/// "nrefs:1|case:mixed|…|version:transformer-0.1.0": the number of references (with 0, of what is compared
/// with none, neither that nor the case), what was drawn, if anything
/// ("bs:1000|ar:10000|seed:12345"), the case ("lc" when lower-cased), then the metric's own `fields`, then
/// this scorer's name and version. Everything before the last field equals what sacreBLEU prints for the same
/// settings.
std::string format_signature(std::size_t references, const Draws& draws, bool lowercase,
                             const SignatureFields& fields);

}  // namespace transformer::eval
