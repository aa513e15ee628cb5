#include "transformer/translation/token_texts.h"

#include <string>

#include "transformer/base/special_tokens.h"
#include "transformer/data/model_message.h"

namespace transformer::translation {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

}  // namespace

TokenTexts::TokenTexts(const data::Tokenizer& tokenizer) {
  for (std::int32_t id = 0; id < tokenizer.size(); ++id) {
    auto& token = tokens_.emplace_back();
    if (id == kUnknown) token = {.bytes = 1, .characters = 1, .begins_word = true};
    if (id == kUnknown || id == kPad || id == kBos || id == kEos) continue;
    const auto text = tokenizer.bytes_of(id);
    token.bytes = static_cast<std::int32_t>(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
      token.characters += data::begins_character(text[i]) ? 1 : 0;
      if (i > 0 && !is_blank(text[i]) && is_blank(text[i - 1])) ++token.inner_words;
    }
    token.begins_word = !text.empty() && !is_blank(text.front());
    token.ends_in_blank = !text.empty() && is_blank(text.back());
  }
}

void TokenTexts::add_to(std::span<eval::Prediction> predictions) const {
  bool behind_blank = true;
  for (auto& prediction : predictions) {
    const auto& token = tokens_.at(static_cast<std::size_t>(prediction.token));
    prediction.bytes = token.bytes;
    prediction.characters = token.characters;
    prediction.words = token.inner_words + (behind_blank && token.begins_word ? 1 : 0);
    behind_blank = token.bytes == 0 || token.ends_in_blank;
  }
}

}  // namespace transformer::translation
