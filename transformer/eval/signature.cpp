#include "transformer/eval/signature.h"

#include <fmt/format.h>

namespace transformer::eval {

std::string format_signature(std::size_t references, const Draws& draws, bool lowercase,
                             const SignatureFields& fields) {
  std::string signature = fmt::format("nrefs:{}", references);
  if (draws.bootstrap > 0) signature += fmt::format("|bs:{}", draws.bootstrap);
  if (draws.randomization > 0) signature += fmt::format("|ar:{}", draws.randomization);
  if (draws.bootstrap > 0 || draws.randomization > 0) signature += fmt::format("|seed:{}", draws.seed);
  signature += lowercase ? "|case:lc" : "|case:mixed";
  for (const auto& [key, value] : fields) signature += fmt::format("|{}:{}", key, value);
  return signature + "|version:transformer-" TRANSFORMER_VERSION;
}

}  // namespace transformer::eval
