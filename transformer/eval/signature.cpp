#include "transformer/eval/signature.h"

#include <fmt/format.h>

namespace transformer::eval {

std::string format_draws(const Draws& draws) {
  std::string text;
  if (draws.bootstrap > 0) text += fmt::format("|bs:{}", draws.bootstrap);
  if (draws.randomization > 0) text += fmt::format("|ar:{}", draws.randomization);
  return text.empty() ? text : text + fmt::format("|seed:{}", draws.seed);
}

std::string format_version() {
  return "|version:transformer-" TRANSFORMER_VERSION;
}

std::string format_signature(std::size_t references, const Draws& draws, bool lowercase,
                             const SignatureFields& fields) {
  std::string signature = references > 0 ? fmt::format("|nrefs:{}", references) : "";
  signature += format_draws(draws);
  if (references > 0) signature += lowercase ? "|case:lc" : "|case:mixed";
  for (const auto& [key, value] : fields) signature += fmt::format("|{}:{}", key, value);
  return (signature + format_version()).substr(1);
}

}  // namespace transformer::eval
