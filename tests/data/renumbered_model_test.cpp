// One SentencePiece model does what another with a vocabulary beside it does.
#include "transformer/data/renumbered_model.h"

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <functional>
#include <random>
#include <unordered_map>

#include "tests/catch.h"
#include "tests/data/sample_text.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/tokenizer.h"

namespace transformer::data {
namespace {

using test::TemporaryFolder;
using Pieces = std::vector<std::string>;
using Ids = std::vector<std::int32_t>;

/// As Marian's are: special ids elsewhere, no padding.
std::filesystem::path trained(const TemporaryFolder& folder, const std::string& type,
                              std::unordered_map<std::string, std::string> arguments = {}) {
  const auto text = test::join_lines(test::english_lines()) + test::join_lines(test::german_lines());
  arguments.merge(std::unordered_map<std::string, std::string>{{"input", folder.write("text", text)},
                                                               {"model_prefix", folder.path() / type},
                                                               {"model_type", type},
                                                               {"vocab_size", "150"},
                                                               {"hard_vocab_limit", "false"},
                                                               {"self_test_sample_size", "3"},
                                                               {"minloglevel", "2"}});
  REQUIRE(sentencepiece::SentencePieceTrainer::Train(arguments).ok());
  return folder.path() / (type + ".model");
}

Pieces pieces_of(const std::filesystem::path& model) {
  sentencepiece::SentencePieceProcessor processor;
  REQUIRE(processor.Load(model.string()).ok());
  Pieces pieces;
  for (int id = 0; id < processor.GetPieceSize(); ++id) pieces.push_back(processor.IdToPiece(id));
  return pieces;
}

const Pieces kSpecial{"<unk>", "<pad>", "<<s>>", "</s>"};

/// The model's pieces in another order behind the special ones, and others among them.
Pieces shuffled(const std::filesystem::path& model, const Pieces& more) {
  auto all = pieces_of(model);
  for (const auto& piece : more)
    if (std::ranges::find(all, piece) == all.end()) all.push_back(piece);
  std::erase_if(all, [](const auto& piece) { return std::ranges::find(kSpecial, piece) != kSpecial.end(); });
  std::ranges::shuffle(all, std::mt19937(3));
  all.insert(all.begin(), kSpecial.begin(), kSpecial.end());
  return all;
}

/// A piece of several letters that is a part of another.
std::string some_step(const Pieces& pieces) {
  for (const auto& step : pieces)
    for (const auto& piece : pieces)
      if (step.size() > 2 && step.front() != '<' && piece.size() > step.size() &&
          piece.find(step) != std::string::npos)
        return step;
  return {};
}

/// No line begins like a language code.
std::vector<std::string> lines() {
  const std::vector<std::string> parts = {
      "The",    "woman",  "sieht",  "Fahrräder", ".",  ",",  "a",     "A",     "猫",    "語",    "😀",
      "\u2581", "\u3000", "\u0308", "ﬁ",         "Ⅷ",  "½",  "<s>",   "</s>",  "<unk>", "<pad>", "<<s>>",
      "xyz",    "zwei",   "Haus",   "\t",        ">>", "<<", "quick", "Berge", "é",     "ß"};
  std::mt19937 random(5);
  std::vector<std::string> result;
  for (int i = 0; i < 4000; ++i) {
    std::string line;
    for (auto count = random() % 12; count > 0; --count)
      line += parts[random() % parts.size()] + std::string(random() % 3, ' ');
    if (!line.starts_with(">>")) result.push_back(line);
  }
  for (const auto& all : {test::english_lines(), test::german_lines()})
    result.insert(result.end(), all.begin(), all.end());
  return result;
}

struct Pair {
  Pair(const std::filesystem::path& model, const Pieces& pieces, ModelUse use)
      : original(model, Vocabulary(pieces, "test")),
        plain(Tokenizer::of_content(renumbered_model(original.serialized(), pieces, use, "name"), "plain")) {}
  Tokenizer original, plain;
};

bool has_unknown(const Ids& ids) {
  return std::ranges::count(ids, kUnknown) > 0;
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

TEST_CASE("a renumbered model gives every text the ids of the model with its vocabulary") {
  const TemporaryFolder folder;
  const auto type = GENERATE("unigram", "bpe");
  const auto model = trained(folder, type);
  // The second list has longer pieces of another language, some of them concatenations of the model's pieces,
  // and language codes.
  const Pair pair(model,
                  shuffled(model, {"\u2581Haustier", "Haus", "wom", "manche", "xyz", "he", "\u2581th",
                                   ">>fra<<", ">>cmn_Hans<<"}),
                  ModelUse::encode);
  REQUIRE(pair.original.has_vocabulary());
  CHECK_FALSE(pair.plain.has_vocabulary());
  CHECK(pair.plain.size() == pair.original.size());
  std::size_t known = 0;
  for (const auto& line : lines()) {
    CAPTURE(type, line);
    const auto expected = pair.original.encode(line);
    REQUIRE(pair.plain.encode(line) == expected);
    if (!has_unknown(expected)) ++known;
  }
  CHECK(known > 200);
  for (const auto* code : {">>fra<<", ">>cmn_Hans<<"}) {
    const auto text = std::string(code) + " The woman sieht zwei";
    CHECK(pair.plain.encode(text) == pair.original.encode(text));
    CHECK(pair.plain.encode(code) == pair.original.encode(code));
    CHECK(pair.plain.encode(code) == Ids{pair.original.id_of(code)});
  }
}

TEST_CASE("characters that only the vocabulary knows have its ids") {
  const TemporaryFolder folder;
  const auto type = GENERATE("unigram", "bpe");
  const auto model = trained(folder, type);
  const Pair pair(model, shuffled(model, {"語", "é"}), ModelUse::encode);
  CHECK(pair.plain.encode("a 語 b") == pair.original.encode("a 語 b"));
  CHECK_FALSE(has_unknown(pair.plain.encode("a 語 b")));
  for (const auto& line : lines()) {
    CAPTURE(type, line);
    const auto expected = pair.original.encode(line);
    if (!has_unknown(expected)) REQUIRE(pair.plain.encode(line) == expected);
  }
}

TEST_CASE("a text without pieces that the vocabulary lacks is cut as before") {
  const TemporaryFolder folder;
  const auto model = trained(folder, "unigram");
  auto pieces = shuffled(model, {"\u2581Haustier"});
  const auto last = std::remove_if(pieces.begin() + kEos + 1, pieces.end(), [](const std::string& piece) {
    return piece.size() > 2 && std::hash<std::string>()(piece) % 5 == 0;
  });
  REQUIRE(pieces.end() - last > 5);
  pieces.erase(last, pieces.end());
  std::size_t seen = 0;
  const Pair pair(model, pieces, ModelUse::encode);
  for (const auto& line : lines()) {
    CAPTURE(line);
    const auto expected = pair.original.encode(line);
    if (has_unknown(expected)) continue;
    REQUIRE(pair.plain.encode(line) == expected);
    ++seen;
  }
  CHECK(seen > 20);
}

TEST_CASE("a renumbered model gives every output the text of the model with its vocabulary") {
  const TemporaryFolder folder;
  const auto type = GENERATE("unigram", "bpe");
  const auto model = trained(folder, type);
  const Pair pair(model, shuffled(model, {"\u2581Haustier", "wom", "語", "\u2581b\u2581c", ">>fra<<"}),
                  ModelUse::decode);
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    Ids ids(random() % 10);
    for (auto& id : ids)
      id = static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(pair.plain.size()));
    CAPTURE(type, ids);
    REQUIRE(trimmed(pair.plain.decode(ids)) == trimmed(pair.original.decode(ids)));
  }
}

TEST_CASE("what no SentencePiece model can do is refused in one line") {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& type, const std::function<void(Pieces&)>& change,
                           const std::unordered_map<std::string, std::string>& arguments = {}) {
    const auto model = trained(folder, type, arguments);
    auto pieces = shuffled(model, {});
    change(pieces);
    try {
      renumbered_model(test::content_of(model), pieces, ModelUse::encode, "tokenizer.model");
    } catch (const InputError& error) {
      const std::string message = error.what();
      CHECK(message.starts_with("tokenizer.model: no SentencePiece model alone can give"));
      CHECK(message.find('\n') == std::string::npos);
      return message;
    }
    return std::string("nothing");
  };
  const auto unchanged = [](Pieces&) {};
  CHECK(refusal("unigram", unchanged) == "nothing");
  CHECK(refusal("bpe", unchanged) == "nothing");
  CHECK_THAT(refusal("char", unchanged), ContainsSubstring("neither"));
  const auto without_step = [](Pieces& pieces) { std::erase(pieces, some_step(pieces)); };
  CHECK_THAT(refusal("bpe", without_step),
             ContainsSubstring("which byte-pair encoding makes other pieces of"));
  CHECK(refusal("unigram", without_step) == "nothing");
  CHECK_THAT(refusal("bpe", [](Pieces& p) { std::erase(p, "<0x41>"); },
                     {{"byte_fallback", "true"}, {"vocab_size", "420"}}),
             ContainsSubstring("byte"));
  CHECK_THAT(refusal("unigram", [](Pieces& p) { p[20].clear(); }), ContainsSubstring("empty"));
  CHECK_THROWS_AS(renumbered_model("\x0a\xff", {}, ModelUse::encode, "x"), InputError);
}

}  // namespace
}  // namespace transformer::data
