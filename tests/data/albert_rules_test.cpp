#include "transformer/data/albert_rules.h"

#include <algorithm>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/data/constants_albert.h"
#include "tests/data/small_tokenizer.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/model_message.h"
#include "transformer/data/scored_pieces.h"
#include "transformer/data/tokenizer.h"

using namespace transformer;
using Ids = std::vector<std::int32_t>;

namespace {

/// The map of SentencePiece's rule nmt_nfkc.
std::string usual_map() {
  const test::TemporaryFolder folder;
  const auto tokenizer = test::train(folder, test::small());
  for (const auto& field : data::fields_of(tokenizer.serialized()))
    if (field.number == data::ModelField::normalizer)
      for (const auto& part : data::fields_of(field.content))
        if (part.number == 2) return std::string(part.content);
  return {};
}

/// Their ids of ours: padding and unknown change places.
std::int32_t theirs(std::int32_t id) {
  return id < 2 ? 1 - id : id;
}

data::Tokenizer tokenizer_of(const std::string& map) {
  data::UnigramModel model;
  std::istringstream texts(test::albert_pieces);
  for (std::string text; texts >> text;)
    model.pieces.push_back({text, test::albert_scores[model.pieces.size()], model.pieces.size() > 4});
  data::split_numbers_from_commas(model);
  data::round_scores(model);
  std::swap(model.pieces[0], model.pieces[1]);
  model.character_map = map;
  return data::Tokenizer::of_content(data::unigram_model(model), "m");
}

}  // namespace

TEST_CASE("ALBERT's texts have the ids of transformers for hard lines") {
  struct Case {
    data::AlbertRules rules;
    bool own_map;
    const std::vector<Ids>& ids;
  };
  const auto own = usual_map();
  std::vector<std::string> lines;
  std::istringstream text(test::albert_lines);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  for (const auto& [rules, own_map, ids] :
       {Case{{}, true, test::albert_usual}, Case{{.lower_case = false}, true, test::albert_cased},
        Case{{.keep_accents = true}, true, test::albert_accents},
        Case{{.lower_case = false, .keep_accents = true}, true, test::albert_accents_cased},
        Case{{}, false, test::albert_plain}}) {
    INFO(rules.lower_case << rules.keep_accents << own_map);
    const auto tokenizer = tokenizer_of(data::albert_map(own_map ? own : "", rules));
    REQUIRE(ids.size() == lines.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      INFO(lines[i]);
      auto found = tokenizer.encode(lines[i]);
      std::ranges::transform(found, found.begin(), theirs);
      CHECK(found == ids[i]);
    }
  }
}

TEST_CASE("numbers are split from commas") {
  data::UnigramModel model;
  for (const auto* text : {"9,", "\u25819,", ",", "a,", "9", "\u0663,"}) model.pieces.push_back({text, -1});
  data::split_numbers_from_commas(model);
  std::vector<float> scores;
  for (const auto& piece : model.pieces) scores.push_back(piece.score);
  CHECK(scores == std::vector<float>{-101, -101, -1, -1, -1, -101});
}

TEST_CASE("unigram models are read, and others refused") {
  data::UnigramModel model{.character_map = data::albert_map("", {})};
  for (const auto* text : {"<unk>", "<pad>", "<s>", "</s>", "\u2581", "a", "b"})
    model.pieces.push_back({text, -2});
  model.pieces.back().in_texts = false;
  const auto content = data::unigram_model(model);
  const auto found = data::read_unigram_model(content, "m");
  CHECK(found.character_map == model.character_map);
  REQUIRE(found.pieces.size() == model.pieces.size());
  CHECK_FALSE(found.pieces[0].in_texts);
  CHECK(found.pieces[5].text == "a");
  CHECK(found.pieces[5].score == -2);
  CHECK(found.pieces[5].in_texts);
  CHECK_FALSE(found.pieces[6].in_texts);
  const auto tokenizer = data::Tokenizer::of_content(content, "m");
  CHECK(tokenizer.encode("  A\u0301\t b\n") == Ids{4, 5, 4, kUnknown});
  CHECK_THROWS_WITH(data::read_unigram_model("none", "m"),
                    ContainsSubstring("m: expected a SentencePiece model"));
  CHECK_THROWS_WITH(data::read_unigram_model("", "m"),
                    ContainsSubstring("m: expected a SentencePiece model"));
  CHECK_THROWS_WITH(data::read_unigram_model(data::word_model(std::vector<std::string>{"a"}), "m"),
                    ContainsSubstring("m: expected a unigram model, found one of another type"));
  CHECK_THROWS_WITH(
      data::read_unigram_model(data::byte_pair_model(std::vector<data::ScoredPiece>{{"<0x41>"}}), "m"),
      ContainsSubstring("m: expected no pieces of bytes, found some"));
}
