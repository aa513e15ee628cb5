// A model of texts whose logits are a function of the text alone, and a tokenizer of bytes.
#pragma once

#include <map>
#include <vector>

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/random.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/character_vocabulary.h"
#include "transformer/data/tokenizer.h"
#include "transformer/search/text_model.h"

namespace transformer::test {

/// Prefers the token behind the last one, or whatever `next` says, and else draws logits by the text's hash.
class ScriptedTexts : public search::TextModel {
 public:
  using Next = std::int32_t (*)(const std::vector<std::int32_t>& text);  // -1: nothing in particular

  explicit ScriptedTexts(std::int64_t vocabulary, Next next = nullptr)
      : vocabulary_(vocabulary), next_(next) {}

  std::span<const float> read(std::span<const Reading> readings) override {
    logits_.assign(readings.size() * static_cast<std::size_t>(vocabulary_), 0);
    for (std::size_t i = 0; i < readings.size(); ++i) {
      auto& text = texts_[readings[i].text];
      REQUIRE_FALSE(readings[i].tokens.empty());
      text.insert(text.end(), readings[i].tokens.begin(), readings[i].tokens.end());
      longest = std::max(longest, text.size());
      auto* row = logits_.data() + i * static_cast<std::size_t>(vocabulary_);
      std::uint64_t hash = 1;
      for (const auto id : text) hash = mix(hash, id);
      for (std::int64_t token = 0; token < vocabulary_; ++token)
        row[token] = static_cast<float>(mix(hash, token) % 1000) / 300;
      if (const auto wanted = next_ ? next_(text) : -1; wanted >= 0) row[wanted] = 50;
    }
    return logits_;
  }
  void fork(std::int64_t from, std::int64_t to) override {
    REQUIRE_FALSE(texts_.contains(to));
    texts_[to] = texts_.at(from);
  }
  void forget(std::int64_t text) override { REQUIRE(texts_.erase(text) == 1); }
  std::int64_t vocabulary() const override { return vocabulary_; }
  std::size_t living() const { return texts_.size(); }

  std::size_t longest = 0;  ///< that was read

 private:
  std::int64_t vocabulary_;
  Next next_;
  std::map<std::int64_t, std::vector<std::int32_t>> texts_;
  std::vector<float> logits_;
};

inline const data::Tokenizer& byte_tokenizer() {
  static const auto made = [] {
    const TemporaryFolder folder;
    const auto file = folder.path() / "tokenizer.model";
    data::make_bytes({}, {.normalization = data::NormalizationRule::identity}, file);
    return data::Tokenizer(file);
  }();
  return made;
}

/// A prompt with the begin token.
inline std::vector<std::int32_t> prompt(const std::string& text) {
  std::vector<std::int32_t> ids{kBos};
  for (const char c : text) ids.push_back(kEos + 1 + static_cast<unsigned char>(c));
  return ids;
}

}  // namespace transformer::test
