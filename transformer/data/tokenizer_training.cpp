#include "transformer/data/tokenizer_training.h"

#include <fmt/format.h>
#include <sentencepiece_trainer.h>

#include <regex>
#include <string_view>
#include <unordered_map>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/data/normalization.h"

namespace transformer::data {
namespace {

/// Hands the lines to the trainer, except for those that are too long.
class TrainingLines : public sentencepiece::SentenceIterator {
 public:
  explicit TrainingLines(const LineSource& next) : next_(next) { TrainingLines::Next(); }
  bool done() const override { return done_; }
  void Next() override {
    for (done_ = !next_(line_); !done_ && line_.size() > kLongestTrainingLine; done_ = !next_(line_))
      ++too_long_;
  }
  const std::string& value() const override { return line_; }
  sentencepiece::util::Status status() const override { return {}; }
  std::int64_t too_long() const { return too_long_; }

 private:
  const LineSource& next_;
  std::string line_;
  bool done_ = false;
  std::int64_t too_long_ = 0;
};

/// Turns the trainer's message into one about the user's configuration.
std::string explain(const std::string& message, const DataOptions& options, std::int64_t too_long) {
  std::smatch found;
  if (std::regex_search(message, found, std::regex("value <= ([0-9]+)"))) {
    if (std::stoll(found[1]) <= pieces_of_no_text(options)) return describe_no_text(too_long);
    return fmt::format(
        "data.vocabulary: expected at most {} pieces, which is what the training text can give, found {}",
        found[1].str(), options.vocabulary);
  }
  if (std::regex_search(message, found, std::regex("required_chars\\. [0-9]+ vs ([0-9]+)"))) {
    return fmt::format(
        "data.vocabulary: expected at least {} pieces, because each character of the training text needs "
        "one, found {}",
        found[1].str(), options.vocabulary);
  }
  if (message.find("sentences_.empty()") != std::string::npos) return describe_no_text(too_long);
  return fmt::format("SentencePiece cannot train a vocabulary: {}", message);
}

}  // namespace

std::string describe_no_text(std::int64_t too_long) {
  if (too_long == 0) return "data.train: expected text to make a vocabulary of, found only empty lines";
  return fmt::format(
      "data.train: expected lines of at most {} bytes to make a vocabulary of, found {} longer ones and none "
      "of text besides: a line is a sentence",
      kLongestTrainingLine, too_long);
}

std::int64_t train_tokenizer_on(const LineSource& next, const DataOptions& options,
                                const std::filesystem::path& output) {
  const Normalization normalization(options.normalization, output);
  auto arguments = normalization.arguments();
  arguments.insert({
      {"model_type", "bpe"},
      {"vocab_size", std::to_string(options.vocabulary)},
      {"hard_vocab_limit", "true"},
      {"character_coverage", "1.0"},
      {"byte_fallback", options.byte_fallback ? "true" : "false"},
      {"unk_id", std::to_string(kUnknown)},
      {"pad_id", std::to_string(kPad)},
      {"bos_id", std::to_string(kBos)},
      {"eos_id", std::to_string(kEos)},
      // SentencePiece aborts the process on a word of more than 65535 characters. Normalization makes at most
      // 18 characters of one (of three bytes), so lines of this length cannot hold such a word.
      {"max_sentence_length", std::to_string(kLongestTrainingLine)},
      {"num_threads", "4"},  // the model file records it, so it must not depend on the machine
      {"minloglevel", "2"},  // its progress reports would drown ours
  });
  if (options.masks) arguments.emplace("control_symbols", kMaskPiece);
  TrainingLines lines(next);
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(arguments, &lines, &model);
  if (!status.ok()) throw InputError(explain(status.ToString(), options, lines.too_long()));
  write_file_atomically(output, without_rule_path(model));
  return lines.too_long();
}

}  // namespace transformer::data
