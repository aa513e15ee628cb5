// Whatever is remembered, the ids are SentencePiece's.
#include "transformer/data/word_encoder.h"

#include <sentencepiece_trainer.h>

#include <random>

#include "tests/catch.h"
#include "tests/data/sample_text.h"
#include "tests/data/train_tokenizer.h"
#include "tests/temporary_folder.h"
#include "transformer/base/text_file.h"
#include "transformer/data/tokenizer_training.h"
#include "transformer/data/word_by_word.h"

namespace transformer::data {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

/// Words and parts of words, plain and odd: blanks of many kinds, SentencePiece's own mark for one, what
/// normalization drops, joins, parts or brings blanks into, unknown characters, and special pieces.
const std::vector<std::string> kParts = {
    "The",     "woman",   "sieht",  "Fahrräder", "das",    "rote",        ".",      ",",
    "a",       "A",       "猫",     "語",        "😀",      "👩‍👧", "\u2581", "\u2581\u2581",
    "\u00A0",  "\u3000",  "\u200B", "\u00AD",    "\u0308", "\u0301",      "\u0341", "\u0344",
    "\u00A8",  "\u1FED",  "\u0385", "\uFDFA",    "\uFDFB", "\x01",        "\x7F",   "\t",
    "\v",      "\r",      "\u0085", "\u2028",    "\uFEFF", "\uFFFD",      "<s>",    "</s>",
    "<unk>",   "<pad>",   "<0x41>", "\u2047",    "ﬁ",      "Ⅷ",           "½",      "שלום",
    "e\u0301", "u\u0308", "ẞ",      "²",         "\uFF21", "\u00B4",      "\u2017", "\u203E",
    "\u037A"};

std::string random_line(std::mt19937& random) {
  std::string line;
  const auto parts = random() % 12;
  for (unsigned i = 0; i < parts; ++i) {
    line += kParts[random() % kParts.size()];
    if (const auto blanks = random() % 4; blanks > 0) line += std::string(blanks == 3 ? 2 : 1, ' ');
  }
  return line;
}

/// Encodes all lines several times with one encoder, since the first time teaches it.
void check_equal(const Tokenizer& tokenizer, const std::vector<std::string>& lines, std::size_t memory) {
  WordEncoder encoder(tokenizer, memory);
  for (int pass = 0; pass < 2; ++pass) {
    for (const auto& line : lines) {
      CAPTURE(line);
      REQUIRE(encoder.encode(line) == tokenizer.encode(line));
    }
  }
}

std::vector<std::string> odd_lines() {
  std::mt19937 random(5);
  std::vector<std::string> lines;
  for (int i = 0; i < 1000; ++i) lines.push_back(random_line(random));
  for (const auto& part : kParts) {  // each part before, between and behind words, and alone
    for (const auto* form : {"{}", "a {}", "{} a", "a{} a", "a {}a", "{} {}", "  {}  ", "a {}\u00A0 a"}) {
      std::string line = form;
      for (auto place = line.find("{}"); place != std::string::npos; place = line.find("{}"))
        line.replace(place, 2, part);
      lines.push_back(line);
    }
  }
  lines.push_back("a " + std::string(300, 'x') + " b");  // a word too long to be remembered
  lines.push_back(std::string(kEncodedAtOnce, 'x') + " b c");
  lines.push_back(test::join_lines(test::german_lines()));
  return lines;
}

/// A model of the sample text, trained with these arguments in addition.
Tokenizer trained(const TemporaryFolder& folder, std::unordered_map<std::string, std::string> arguments) {
  auto text = test::join_lines(test::english_lines()) + test::join_lines(test::german_lines());
  arguments.merge(std::unordered_map<std::string, std::string>{{"input", folder.write("text", text)},
                                                               {"model_prefix", folder.path() / "model"},
                                                               {"model_type", "bpe"},
                                                               {"vocab_size", "150"},
                                                               {"unk_id", "0"},
                                                               {"pad_id", "1"},
                                                               {"bos_id", "2"},
                                                               {"eos_id", "3"},
                                                               {"hard_vocab_limit", "false"},
                                                               {"minloglevel", "2"}});
  REQUIRE(sentencepiece::SentencePieceTrainer::Train(arguments).ok());
  return Tokenizer(folder.path() / "model.model");
}

TEST_CASE("remembered words have the ids that SentencePiece gives them, in odd text, too") {
  const TemporaryFolder folder;
  DataOptions options;
  options.normalization = GENERATE(from_range(all_values<NormalizationRule>()));
  options.byte_fallback = GENERATE(false, true);
  options.vocabulary = options.byte_fallback ? 400 : 110;
  const auto english = test::english_lines();
  const auto german = test::german_lines();
  test::train_tokenizer({english, german}, options, folder.path() / "model");
  const Tokenizer tokenizer(folder.path() / "model");
  CHECK(WordEncoder(tokenizer).remembers());
  check_equal(tokenizer, odd_lines(), WordEncoder::kUsualMemory);
  check_equal(tokenizer, odd_lines(), 100'000);  // forgets now and then
  check_equal(tokenizer, german, 0);             // forgets before each line
}

TEST_CASE("a model that reads more than one word at a time is asked for whole lines") {
  const TemporaryFolder folder;
  const auto& [name, value] =
      GENERATE(table<std::string, std::string>({{"model_type", "unigram"},
                                                {"user_defined_symbols", "wom"},
                                                {"add_dummy_prefix", "false"},
                                                {"remove_extra_whitespaces", "false"},
                                                {"split_by_whitespace", "false"},
                                                {"treat_whitespace_as_suffix", "true"},
                                                {"normalization_rule_tsv", "rules"}}));
  CAPTURE(name);
  // A blank between a small e and a small r is left out: "rote rote" becomes one word.
  const auto rules = folder.write("rules.tsv", "65 20 72\t65 72\n");
  const auto tokenizer = trained(folder, {{name, value == "rules" ? rules.string() : value}});
  CHECK_FALSE(encodes_word_by_word(tokenizer.serialized()));
  CHECK_FALSE(WordEncoder(tokenizer).remembers());
  check_equal(tokenizer, odd_lines(), WordEncoder::kUsualMemory);
}

TEST_CASE("what cannot be read is taken for a model that must be asked for whole lines") {
  const TemporaryFolder folder;
  const auto whole = trained(folder, {}).serialized();
  CHECK(encodes_word_by_word(whole));
  CHECK_FALSE(encodes_word_by_word(""));
  std::mt19937 random(3);
  for (int i = 0; i < 100; ++i) {
    CHECK_FALSE(encodes_word_by_word(whole.substr(0, random() % whole.size())));
    auto damaged = whole;
    damaged[random() % whole.size()] ^= static_cast<char>(1 << random() % 8);
    encodes_word_by_word(damaged);  // any answer, but an answer
  }
}

TEST_CASE("real text is encoded as SentencePiece encodes it") {
  const fs::path data = SHARED_DATA;
  if (!fs::exists(data / "newstest")) {
    WARN("skipped: newstest and Multi30k are not there");
    return;
  }
  const TemporaryFolder folder;
  const auto news = read_lines(data / "newstest" / "newstest2013.de");
  DataOptions options;
  options.vocabulary = 4000;
  test::train_tokenizer({news}, options, folder.path() / "model");
  const Tokenizer tokenizer(folder.path() / "model");
  for (const auto* file : {"newstest/newstest2013.de", "newstest/newstest2014.de", "newstest/newstest2014.en",
                           "multi30k/val.de", "tatoeba/fra-eng.tsv"}) {
    CAPTURE(file);
    auto lines = read_lines(data / file);
    lines.resize(std::min<std::size_t>(lines.size(), 3'000));
    check_equal(tokenizer, lines, 1'000'000);
  }
}

}  // namespace
}  // namespace transformer::data
