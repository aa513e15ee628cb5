// A score's signature in sacreBLEU's layout: how the score was measured. No number is reported without it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace transformer::eval {

/// The random draws for a score's interval or tests; zeros: none.
struct Draws {
  int bootstrap = 0;      ///< samples
  int randomization = 0;  ///< trials
  std::uint64_t seed = 0;
};

/// A metric's own part of a signature: keys and values.
using SignatureFields = std::vector<std::pair<std::string_view, std::string>>;

/// "|bs:1000|ar:10000|seed:12345": the draws; empty if there were none.
std::string format_draws(const Draws& draws);

/// "|version:transformer-0.1.0": this scorer's name and version.
std::string format_version();

/// "nrefs:1|case:mixed|…|version:transformer-0.1.0". The fields are, in this order:
/// * The number of references. With 0 references this field and the case are left out.
/// * The draws, if there were any: "bs:1000|ar:10000|seed:12345".
/// * The case; "lc" means lower-cased.
/// * The metric's own `fields`.
/// * This scorer's name and version.
///
/// All but the last equal what sacreBLEU prints for the same settings.
std::string format_signature(std::size_t references, const Draws& draws, bool lowercase,
                             const SignatureFields& fields);

}  // namespace transformer::eval
