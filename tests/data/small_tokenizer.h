// Small tokenizers, trained on the sample text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/catch.h"
#include "tests/data/sample_text.h"
#include "tests/data/train_tokenizer.h"
#include "tests/temporary_folder.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/tokenizer.h"
#include "transformer/data/tokenizer_training.h"

namespace transformer::test {

inline data::DataOptions small(std::int64_t vocabulary = 120) {
  data::DataOptions options;
  options.vocabulary = vocabulary;
  return options;
}

/// A tokenizer of the sample text.
inline data::Tokenizer train(const TemporaryFolder& folder, const data::DataOptions& options) {
  const auto english = english_lines();
  const auto german = german_lines();
  const auto model = folder.path() / "tokenizer.model";
  const auto left_out = test::train_tokenizer({english, german}, options, model);
  CHECK(left_out == 0);
  return data::Tokenizer(model);
}

inline bool has_unknown(const std::vector<std::int32_t>& ids) {
  return std::ranges::count(ids, kUnknown) > 0;
}

}  // namespace transformer::test
