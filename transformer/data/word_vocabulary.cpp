#include "transformer/data/word_vocabulary.h"

#include <fmt/format.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/model_message.h"
#include "transformer/data/normalization.h"
#include "transformer/data/tokenizer.h"

namespace transformer::data {
namespace {

/// One line, and no more.
class SingleLine : public sentencepiece::SentenceIterator {
 public:
  bool done() const override { return done_; }
  void Next() override { done_ = true; }
  const std::string& value() const override { return line_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  std::string line_ = "a";
  bool done_ = false;
};

/// A model of one word, which has what all of these have alike: the normalisation, and the special pieces.
std::string model_of_one_word(const DataOptions& options, const std::filesystem::path& place) {
  const Normalization normalization(options.normalization, place);
  auto arguments = normalization.arguments();
  arguments.insert({{"model_type", "word"},
                    {"use_all_vocab", "true"},
                    {"unk_id", std::to_string(kUnknown)},
                    {"pad_id", std::to_string(kPad)},
                    {"bos_id", std::to_string(kBos)},
                    {"eos_id", std::to_string(kEos)},
                    {"num_threads", "1"},
                    {"minloglevel", "2"}});
  SingleLine line;
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(arguments, &line, &model);
  if (!status.ok())
    throw InputError(fmt::format("SentencePiece cannot make a vocabulary: {}", status.ToString()));
  return without_rule_path(model);
}

using Count = std::pair<std::string, std::int64_t>;

/// The most frequent first.
std::vector<Count> by_frequency(std::unordered_map<std::string, std::int64_t> counts) {
  std::vector<Count> all(std::make_move_iterator(counts.begin()), std::make_move_iterator(counts.end()));
  std::ranges::sort(all, [](const Count& a, const Count& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return all;
}

/// `model` with these words in the place of its own. As in SentencePiece, a word's score is the logarithm of
/// its share of the text; only which words there are decides what a text becomes.
std::string with_words(std::string_view model, std::span<const Count> words, std::int64_t total) {
  std::string result;
  std::int64_t special = 0;
  for (const auto& field : fields_of(model))
    if (field.number == ModelField::pieces && special++ <= kEos) result.append(field.whole);
  for (const auto& [word, count] : words) {
    std::string piece;
    append_proto_bytes(piece, PieceField::text, word);
    append_proto_float(piece, PieceField::score,
                       static_cast<float>(std::log(static_cast<double>(count) / static_cast<double>(total))));
    append_proto_bytes(result, ModelField::pieces, piece);
  }
  for (const auto& field : fields_of(model))
    if (field.number != ModelField::pieces && field.number != ModelField::self_test)
      result.append(field.whole);
  std::string size;  // of a message that comes twice, what the second says counts
  append_proto_integer(size, TrainerField::vocabulary, static_cast<std::uint64_t>(kEos + 1) + words.size());
  append_proto_bytes(result, ModelField::trainer, size);
  return result;
}

}  // namespace

std::int64_t count_words_of(const LineSource& next, const DataOptions& options,
                            const std::filesystem::path& output) {
  const auto model = model_of_one_word(options, output);
  const auto tokenizer = Tokenizer::of_content(model, output);
  std::unordered_map<std::string, std::int64_t> counts;
  std::int64_t total = 0, too_long = 0;
  for (std::string line; next(line);) {
    if (line.size() > kLongestTrainingLine) {
      ++too_long;
      continue;
    }
    for (auto& word : tokenizer.words(line)) {
      ++counts[std::move(word)];
      ++total;
    }
  }
  const auto words = by_frequency(std::move(counts));
  if (words.empty()) throw InputError(describe_no_text(too_long));
  const auto frequent =
      std::ranges::find_if(words, [&](const Count& word) { return word.second < options.min_frequency; });
  const auto kept = std::min(frequent - words.begin(), options.vocabulary - (kEos + 1));
  if (kept == 0)
    throw InputError(fmt::format(
        "data.min_frequency: expected at most {}, as often as the training text's most frequent word occurs, "
        "found {}",
        words.front().second, options.min_frequency));
  write_file_atomically(output,
                        with_words(model, std::span(words).first(static_cast<std::size_t>(kept)), total));
  return too_long;
}

}  // namespace transformer::data
