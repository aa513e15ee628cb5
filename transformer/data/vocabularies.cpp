#include "transformer/data/vocabularies.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "transformer/data/answers.h"
#include "transformer/data/character_vocabulary.h"
#include "transformer/data/tokenizer.h"
#include "transformer/data/tokenizer_training.h"
#include "transformer/data/tree_texts.h"
#include "transformer/data/word_vocabulary.h"

namespace transformer::data {
namespace {

namespace fs = std::filesystem;

std::int64_t make_tokenizer(TokenizerKind kind, const LineSource& next, const DataOptions& options,
                            const fs::path& model) {
  switch (kind) {
    case TokenizerKind::bpe:
      return train_tokenizer_on(next, options, model);
    case TokenizerKind::words:
      return count_words_of(next, options, model);
    case TokenizerKind::characters:
      return count_characters_of(next, options, model);
    case TokenizerKind::bytes:
      return make_bytes(next, options, model);
  }
  no_such_choice();
}

class VocabularyMaker {
 public:
  VocabularyMaker(const DataOptions& options, const PrepareSettings& settings, const PreparedPaths& paths)
      : options_(options), settings_(settings), paths_(paths) {}

  std::int64_t make(const Sizes& sizes) {
    make_tokenizers(sizes.at("train"));
    if (has_target_labels(options_.examples)) make_labels(sizes);
    return untrained_lines_;
  }

 private:
  void stage(std::string_view text) const {
    if (settings_.stage) settings_.stage(text);
  }

  void make_tokenizers(const SplitSize& train) {
    const bool pairs = has_two_sides(options_.examples);
    std::vector<std::vector<SideFile>> sides(pairs ? 2 : 1);
    std::size_t number = 0;
    for (const auto& text : train_texts(options_)) {
      auto files = side_files(text, options_);
      for (std::size_t side = 0; side < files.size(); ++side) {
        files[side].lines = pairs ? options_.pairs : train.lines[number];
        sides[side].push_back(files[side]);
      }
      ++number;
    }
    if (!options_.tokenizer.empty()) {
      const Tokenizer own(options_.tokenizer);  // refuses it under its own name, not its copy's
      own.copy_to(paths_.source_tokenizer(!has_target_labels(options_.examples)));
    } else if (has_target_labels(options_.examples)) {
      train_on(sides[0], train.sides[0], paths_.source_tokenizer(false));
    } else if (has_one_vocabulary(options_)) {
      TrainingSize all;
      std::vector<SideFile> files;
      for (std::size_t side = 0; side < sides.size(); ++side) {
        all += train.sides[side];
        files.insert(files.end(), sides[side].begin(), sides[side].end());
      }
      train_on(files, all, paths_.source_tokenizer(true));
    } else {
      train_on(sides[0], train.sides[0], paths_.source_tokenizer(false));
      train_on(sides[1], train.sides[1], paths_.target_tokenizer(false));
    }
  }

  /// Labels of all splits: which ones training has not seen is the affair of who learns from them. Tokens of
  /// trees are those of the training text; others are unknown.
  void make_labels(const Sizes& sizes) {
    if (options_.examples == ExampleKind::answers) return make_numbers();
    std::vector<SideFile> files;
    TrainingSize size;
    const bool trees = options_.examples == ExampleKind::trees;
    for (const auto& [name, texts] : splits_of(options_)) {
      if (trees && name != "train") continue;
      for (const auto& text : texts) files.push_back(side_files(text, options_).back());
      size += sizes.at(name).sides.back();
    }
    if (trees)
      for (auto& file : files) file.lines = options_.pairs;
    TrainingText text(files, size, size.bytes);
    count_labels([&](std::string& line) {
      if (!text.next(line)) return false;
      if (trees) line = linearised_line(line, options_.tree_tags);
      return true;
    });
  }

  /// Of words.
  void make_numbers() {
    count_labels([number = std::int64_t{0}, end = most_words(options_)](std::string& line) mutable {
      line = std::to_string(number);
      return number++ < end;
    });
  }

  void count_labels(const LineSource& next) {
    untrained_lines_ += count_words_of(next, label_options(options_), paths_.target_tokenizer(false));
  }

  void train_on(const std::vector<SideFile>& files, const TrainingSize& size, const fs::path& model) {
    const auto kind = options_.tokenizer_kind;
    // Counting keeps no lines, and a count is of all of them.
    TrainingText text(files, size, kind == TokenizerKind::bpe ? settings_.training_bytes : size.bytes);
    stage(fmt::format(
        "{}{}",
        kind == TokenizerKind::bpe ? fmt::format("Training a vocabulary of {} pieces", options_.vocabulary)
                                   : fmt::format("Counting the {} of a vocabulary", name_of(kind)),
        text.share() < 1 ? fmt::format(" on {:.1f} % of {} lines", 100 * text.share(), size.lines) : ""));
    untrained_lines_ += make_tokenizer(
        kind, [&](std::string& line) { return text.next(line); }, options_, model);
  }

  const DataOptions& options_;
  const PrepareSettings& settings_;
  const PreparedPaths& paths_;
  std::int64_t untrained_lines_ = 0;
};

}  // namespace

std::int64_t make_vocabularies(const DataOptions& options, const PrepareSettings& settings,
                               const Sizes& sizes, const PreparedPaths& paths) {
  return VocabularyMaker(options, settings, paths).make(sizes);
}

}  // namespace transformer::data
