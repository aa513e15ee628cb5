// The lines that shape a vocabulary.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "transformer/data/corpus.h"

namespace transformer::data {

/// How much text there is to train a vocabulary on.
struct TrainingSize {
  std::int64_t lines = 0;  ///< without those that are too long to be trained on
  std::int64_t bytes = 0;  ///< that the lines take in memory

  void add(std::string_view line);
  TrainingSize& operator+=(const TrainingSize& more);
};

/// The memory that lines may take: about a million sentences, in which even the last of 37 000 pieces are
/// frequent. SentencePiece takes six times as much to train on them.
inline constexpr std::int64_t kMostTrainingBytes = std::int64_t{192} << 20U;

/// Reads files from front to end, line by line. If together they have at most `most` bytes, it reads them
/// whole, else a sample of about that size. The sample depends only on the files' sizes and the lines'
/// numbers. Lines that are too long to be trained on always come, so that they are counted.
class TrainingText {
 public:
  TrainingText(std::vector<SideFile> files, const TrainingSize& size, std::int64_t most = kMostTrainingBytes);

  bool next(std::string& line);
  double share() const { return share_; }  ///< of the lines that are chosen

 private:
  bool chosen(std::string_view line);

  std::vector<SideFile> files_;
  std::size_t opened_ = 0;
  std::unique_ptr<TextReader> reader_;
  std::uint64_t number_ = 0;  ///< of the line, over all files
  double share_;
};

}  // namespace transformer::data
