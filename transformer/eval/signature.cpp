#include "transformer/eval/signature.h"

#include <fmt/format.h>

namespace transformer::eval {

std::string format_signature(std::size_t references, bool lowercase,
                             const std::vector<std::pair<std::string_view, std::string>>& fields) {
  std::string signature = fmt::format("nrefs:{}|case:{}", references, lowercase ? "lc" : "mixed");
  for (const auto& [key, value] : fields) signature += fmt::format("|{}:{}", key, value);
  return signature + "|version:transformer-" TRANSFORMER_VERSION;
}

}  // namespace transformer::eval
