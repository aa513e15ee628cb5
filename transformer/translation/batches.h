// From lines of text to batches of ids.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace transformer::translation {

/// Sentences that are translated together, longest first.
struct SourceBatch {
  std::vector<std::size_t> lines;                        ///< their numbers
  std::vector<std::vector<std::int32_t>> ids;            ///< with kEos behind
  std::vector<std::vector<std::int32_t>> prefixes = {};  ///< of the translations, or empty
  std::vector<std::int64_t> words = {};                  ///< of each line, where outputs are whole trees
};

/// Sorts sentences by falling length and cuts them into batches of at most `batch_tokens` padded tokens (a
/// longer sentence stands alone) and at most `most_sentences`. Those without ids are left out. ids: of each
/// line, without the end token.
std::vector<SourceBatch> make_batches(std::vector<std::vector<std::int32_t>> ids, std::int64_t batch_tokens,
                                      std::size_t most_sentences);

}  // namespace transformer::translation
