#include "transformer/generation/continuation.h"

namespace transformer::generation {

std::string text_behind(const data::Tokenizer& tokenizer, std::span<const std::int32_t> prompt,
                        std::span<const std::int32_t> ids) {
  // Decoded alone, the continuation could lose the blank that it begins with.
  std::vector<std::int32_t> all(prompt.begin() + 1, prompt.end());
  const auto front = tokenizer.decode(all);
  all.insert(all.end(), ids.begin(), ids.end());
  const auto whole = tokenizer.decode(all);
  return whole.starts_with(front) ? whole.substr(front.size()) : tokenizer.decode(ids);
}

}  // namespace transformer::generation
