#include "transformer/data/word_vocabulary.h"

#include <sentencepiece_processor.h>

#include <fstream>

#include "tests/catch.h"
#include "tests/data/sample_text.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/prepare.h"
#include "transformer/data/tokenizer.h"
#include "transformer/data/word_encoder.h"

namespace transformer::data {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;
using Pieces = std::vector<std::string>;
using Ids = std::vector<std::int32_t>;

LineSource lines_of(const Pieces& lines) {
  return [&lines, i = std::size_t{0}](std::string& line) mutable {
    if (i == lines.size()) return false;
    line = lines[i++];
    return true;
  };
}

DataOptions words(std::int64_t min_frequency = 1) {
  DataOptions options;
  options.tokenizer_kind = TokenizerKind::words;
  options.min_frequency = min_frequency;
  options.normalization = NormalizationRule::lower_punctuation;
  options.shared_vocabulary = false;
  return options;
}

Tokenizer vocabulary_of(const TemporaryFolder& folder, const Pieces& lines, const DataOptions& options) {
  count_words_of(lines_of(lines), options, folder.path() / "words.model");
  return Tokenizer(folder.path() / "words.model");
}

TEST_CASE("the most frequent words come first, equally frequent ones by their bytes, rare ones not at all") {
  const TemporaryFolder folder;
  const Pieces lines = {"b a  b", "c a b", "d"};
  CHECK(vocabulary_of(folder, lines, words()).all_pieces() ==
        Pieces{"<unk>", "<pad>", "<s>", "</s>", "▁b", "▁a", "▁c", "▁d"});
  CHECK(vocabulary_of(folder, lines, words(2)).all_pieces() ==
        Pieces{"<unk>", "<pad>", "<s>", "</s>", "▁b", "▁a"});
  auto few = words();
  few.vocabulary = 5;
  CHECK(vocabulary_of(folder, lines, few).all_pieces() == Pieces{"<unk>", "<pad>", "<s>", "</s>", "▁b"});

  const auto tokenizer = vocabulary_of(folder, lines, words(2));
  CHECK(tokenizer.has_words());
  CHECK(tokenizer.encode("A b, a") == Ids{5, 4, kUnknown, 5});
  CHECK(tokenizer.encode("  ").empty());
  CHECK(tokenizer.decode(Ids{5, 4, kUnknown, 5}) == "a b ⁇  a");
}

TEST_CASE("each unknown word is a token, where SentencePiece makes one of several in a row") {
  const TemporaryFolder folder;
  const auto tokenizer = vocabulary_of(folder, {"known"}, words());
  CHECK(tokenizer.encode("not seen known either way") == Ids{0, 0, 4, 0, 0});
  CHECK(tokenizer.words("not seen known") == Pieces{"▁not", "▁seen", "▁known"});
  sentencepiece::SentencePieceProcessor alone;
  REQUIRE(alone.LoadFromSerializedProto(tokenizer.serialized()).ok());
  CHECK(alone.EncodeAsIds("not seen known either way") == std::vector<int>{0, 4, 0});

  std::string long_text;  // encoded part by part
  for (int i = 0; i < 9000; ++i) long_text += i % 3 == 0 ? "known " : "x ";
  const auto ids = tokenizer.encode(long_text);
  REQUIRE(ids.size() == 9000);
  for (std::size_t i = 0; i < ids.size(); ++i) REQUIRE(ids[i] == (i % 3 == 0 ? 4 : kUnknown));
  WordEncoder encoder(tokenizer);
  CHECK(encoder.encode("x y known z") == Ids{0, 0, 4, 0});
}

TEST_CASE("lower_punctuation: small letters, no-break spaces, and a blank before three marks") {
  const TemporaryFolder folder;
  const auto tokenizer = vocabulary_of(folder, {"a"}, words());
  const auto split = [&](std::string_view text) {
    std::string joined;
    for (const auto& word : tokenizer.words(text)) joined += word;
    return joined;
  };
  CHECK(split("Go.") == "▁go▁.");
  CHECK(split("Wow!") == "▁wow▁!");
  CHECK(split("Ça alors\u202f!") == "▁ça▁alors▁!");
  CHECK(split("Who?") == "▁who?");
  CHECK(split("Qui\u00a0?") == "▁qui▁?");
  CHECK(split("1,000.5") == "▁1▁,000▁.5");
  CHECK(split("...ÉTÉ ,Œuf;Ǆ ẞ") == "▁.▁.▁.été▁,œuf;ǆ▁ß");
  CHECK(split("I'm OK .") == "▁i'm▁ok▁.");
}

TEST_CASE(
    "equal words give equal files, in any order and at any place; what SentencePiece's rules do stays") {
  const TemporaryFolder folder;
  const Pieces lines = {"One, two", "two!"}, turned = {"two!", "One, two"};
  count_words_of(lines_of(lines), words(), folder.path() / "first");
  fs::create_directory(folder.path() / "deeper");
  count_words_of(lines_of(turned), words(), folder.path() / "deeper" / "second");
  CHECK(test::content_of(folder.path() / "first") == test::content_of(folder.path() / "deeper" / "second"));
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder.path() / "deeper")) ++entries;
  CHECK(entries == 1);

  auto nfkc = words();
  nfkc.normalization = NormalizationRule::nmt_nfkc;
  CHECK(vocabulary_of(folder, {"Ａ b. Ａ"}, nfkc).all_pieces() ==
        Pieces{"<unk>", "<pad>", "<s>", "</s>", "▁A", "▁b."});
}

TEST_CASE("subwords may have the rule, too, and are remembered word by word") {
  const TemporaryFolder folder;
  DataOptions options;
  options.vocabulary = 120;
  options.normalization = NormalizationRule::lower_punctuation;
  const auto lines = test::english_lines();
  train_tokenizer_on(lines_of(lines), options, folder.path() / "a.model");
  train_tokenizer_on(lines_of(lines), options, folder.path() / "b.model");
  CHECK(test::content_of(folder.path() / "a.model") == test::content_of(folder.path() / "b.model"));
  const Tokenizer tokenizer(folder.path() / "a.model");
  CHECK(tokenizer.size() == 120);
  CHECK_FALSE(tokenizer.has_words());
  CHECK(tokenizer.decode(tokenizer.encode("THE woman,sees a dog!")) == "the woman  ⁇ sees a dog  ⁇ ");
  WordEncoder encoder(tokenizer);
  CHECK(encoder.remembers());
  for (const auto* line : {"The woman sees the red house.", "a.b , .c", ", the", "dog. dog ."}) {
    CAPTURE(line);
    CHECK(encoder.encode(line) == tokenizer.encode(line));
  }
}

TEST_CASE("texts that give no vocabulary of words are refused") {
  const TemporaryFolder folder;
  const auto model = folder.path() / "words.model";
  const Pieces empty = {"", "  "}, few = {"a b a"};
  CHECK_THROWS_WITH(count_words_of(lines_of(empty), words(), model),
                    "data.train: expected text to make a vocabulary of, found only empty lines");
  CHECK_THROWS_WITH(
      count_words_of(lines_of(few), words(3), model),
      "data.min_frequency: expected at most 2, as often as the training text's most frequent word occurs, "
      "found 3");
  CHECK_FALSE(fs::exists(model));
  const Pieces overlong = {std::string(kLongestTrainingLine + 1, 'x'), "y"};
  CHECK(count_words_of(lines_of(overlong), words(), model) == 1);
  CHECK(Tokenizer(model).all_pieces().back() == "▁y");
}

TEST_CASE("the first 1 001 pairs of Tatoeba have 180 and 162 words, and a counted share is unknown") {
  const auto file = fs::path(SHARED_DATA) / "tatoeba" / "fra-eng.tsv";
  if (!fs::exists(file)) {
    WARN("skipped: Tatoeba is not there");
    return;
  }
  const TemporaryFolder folder;
  folder.write("dev.tsv", "Go.\tVa !\n");
  auto options = words(3);
  options.source = "en";
  options.target = "fr";
  options.train = file.string();
  options.dev = (folder.path() / "dev.tsv").string();
  options.prepared = (folder.path() / "prepared").string();
  options.pairs = 1001;
  options.max_tokens = 10;
  options.longer = Longer::cut;
  const auto report = prepare(options, {.quiet = true});
  CHECK(report.source_vocabulary == 180);
  CHECK(report.target_vocabulary == 162);
  // Counted by a program of a few lines in Python: 10.5 % and 23.5 %. The chapter prints none of it.
  const auto& train = report.splits.at("train");
  CHECK(train.examples == FilterCounts{.kept = 1001});
  CHECK((train.source_tokens == 3069 && train.source_unknown == 322));
  CHECK((train.target_tokens == 3436 && train.target_unknown == 809));
  CHECK(train.shortened == 0);
}

}  // namespace
}  // namespace transformer::data
