#include "transformer/data/training_text.h"

#include <utility>

#include "transformer/base/random.h"
#include "transformer/data/tokenizer_training.h"

namespace transformer::data {

void TrainingSize::add(std::string_view line) {
  constexpr std::int64_t overhead = 64;  // of a string and its place
  if (line.size() > kLongestTrainingLine) return;
  ++lines;
  bytes += std::ssize(line) + overhead;
}

TrainingSize& TrainingSize::operator+=(const TrainingSize& more) {
  lines += more.lines;
  bytes += more.bytes;
  return *this;
}

TrainingText::TrainingText(std::vector<SideFile> files, const TrainingSize& size, std::int64_t most)
    : files_(std::move(files)),
      share_(size.bytes <= most ? 1.0 : static_cast<double>(most) / static_cast<double>(size.bytes)) {}

bool TrainingText::next(std::string& line) {
  while (true) {
    if (!reader_) {
      if (opened_ == files_.size()) return false;
      reader_ = std::make_unique<TextReader>(files_[opened_++]);
    }
    if (!reader_->next(line)) {
      reader_.reset();
    } else if (chosen(line)) {
      return true;
    }
  }
}

bool TrainingText::chosen(std::string_view line) {
  const auto number = number_++;
  if (share_ == 1.0 || line.size() > kLongestTrainingLine) return true;
  constexpr double numbers = 0x1p53;  // so many are exact
  return static_cast<double>(splitmix((number + 1) * kSplitmixIncrement) >> 11U) < share_ * numbers;
}

}  // namespace transformer::data
