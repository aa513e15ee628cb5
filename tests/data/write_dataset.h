// A data set file of sentences in memory.
#pragma once

#include <filesystem>
#include <stdexcept>

#include "transformer/data/dataset_writer.h"

namespace transformer::test {

/// Both sides hold equally many, else std::invalid_argument.
inline void write_dataset(const std::filesystem::path& file, const data::Sentences& source,
                          const data::Sentences& target, std::int64_t source_vocabulary,
                          std::int64_t target_vocabulary) {
  if (source.size() != target.size()) throw std::invalid_argument("write_dataset: sides of unequal size");
  data::DatasetWriter writer(file, source_vocabulary, target_vocabulary);
  for (std::int64_t i = 0; i < source.size(); ++i) writer.add(source[i], target[i]);
  writer.commit();
}

}  // namespace transformer::test
