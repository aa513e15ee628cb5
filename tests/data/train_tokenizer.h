// A tokenizer trained on texts in memory.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "transformer/data/tokenizer_training.h"

namespace transformer::test {

/// data::train_tokenizer_on() the texts, one after another.
inline std::int64_t train_tokenizer(const std::vector<std::span<const std::string>>& texts,
                                    const data::DataOptions& options, const std::filesystem::path& output) {
  std::size_t text = 0;
  std::size_t line = 0;
  const auto next = [&](std::string& value) {
    for (; text < texts.size(); ++text, line = 0) {
      if (line == texts[text].size()) continue;
      value = texts[text][line++];
      return true;
    }
    return false;
  };
  return data::train_tokenizer_on(next, options, output);
}

}  // namespace transformer::test
