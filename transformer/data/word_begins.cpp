#include "transformer/data/word_begins.h"

#include <fmt/format.h>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"

namespace transformer::data {

std::vector<bool> word_begins(const Tokenizer& tokenizer) {
  std::vector<bool> begins;
  for (std::int32_t id = 0; id < tokenizer.size(); ++id) {
    const auto bytes = tokenizer.bytes_of(id);
    begins.push_back(bytes.starts_with(' ') || bytes.starts_with('\n'));
  }
  if (tokenizer.has_words()) begins[kUnknown] = true;  // a word each
  return begins;
}

std::vector<bool> begins_to_learn(const Tokenizer& tokenizer, const char* key) {
  if (tokenizer.word_pieces() != nullptr)
    throw InputError(fmt::format(
        "{}: expected pieces that say where words begin, to train with {}, found BERT's WordPiece, which "
        "parts words at punctuation, too",
        tokenizer.path().string(), key));
  return word_begins(tokenizer);
}

std::vector<std::int64_t> first_pieces(std::span<const std::int32_t> ids, const std::vector<bool>& begins) {
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (i == 0 || begins[static_cast<std::size_t>(ids[i])]) places.push_back(static_cast<std::int64_t>(i));
  return places;
}

}  // namespace transformer::data
