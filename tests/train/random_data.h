// Data sets and models for tests that need no tokenizer.
#pragma once

#include <random>

#include "tests/checkpoints/reverse_task.h"
#include "tests/data/write_dataset.h"
#include "tests/nn/checks.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/dataset_writer.h"
#include "transformer/models/encoder_decoder.h"

namespace transformer::test {

inline constexpr std::int64_t kVocabulary = 13;

/// `pairs` sentences of 1 to 9 random ids on each side.
inline data::Dataset random_data(const TemporaryFolder& folder, int pairs) {
  std::mt19937 random(7);
  const auto sentence = [&] {
    std::vector<std::int32_t> ids(1 + random() % 9);
    for (auto& id : ids) id = static_cast<std::int32_t>(kEos + 1 + random() % (kVocabulary - kEos - 1));
    return ids;
  };
  data::Sentences source, target;
  for (int i = 0; i < pairs; ++i) {
    source.add(sentence());
    target.add(sentence());
  }
  const auto file = folder.path() / "data.bin";
  test::write_dataset(file, source, target, kVocabulary, kVocabulary);
  return data::Dataset(file);
}

/// A tiny model in double precision and without dropout, so that equal results are equal to 1e-12.
inline models::EncoderDecoder exact_model() {
  auto options = tiny_model();
  options.dropout = 0.0;
  return with_pattern(models::EncoderDecoder(options, models::VocabularySizes{kVocabulary, kVocabulary}));
}

inline std::vector<std::int64_t> numbers(std::int64_t begin, std::int64_t end) {
  std::vector<std::int64_t> list;
  for (auto i = begin; i < end; ++i) list.push_back(i);
  return list;
}

}  // namespace transformer::test
