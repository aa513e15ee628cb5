// Against SentencePiece: what it encodes where nothing is left out, and how often it samples what.
#include "transformer/data/bpe_dropout.h"

#include <sentencepiece_processor.h>

#include <cmath>
#include <map>
#include <set>

#include "tests/data/small_tokenizer.h"
#include "transformer/base/error.h"
#include "transformer/base/random.h"
#include "transformer/data/model_message.h"

namespace transformer::data {
namespace {

using Ids = std::vector<std::int32_t>;
using test::TemporaryFolder;

Ids draw(const BpeDropout& dropout, const Ids& ids, std::uint64_t seed) {
  BpeDropout::Workspace workspace;
  const auto drawn = dropout.draw(ids, seed, workspace);
  return {drawn.begin(), drawn.end()};
}

/// How often each segmentation is drawn, in shares of all.
using Shares = std::map<Ids, double>;

Shares shares(const BpeDropout& dropout, const Ids& ids, int draws) {
  Shares result;
  for (int i = 0; i < draws; ++i) result[draw(dropout, ids, mix(7, i))] += 1.0 / draws;
  return result;
}

/// Five standard deviations of a share.
double bound(double share, int draws) {
  return 5 * std::sqrt(share * (1 - share) / draws) + 1e-9;
}

struct MadePiece {
  std::string text;
  std::uint64_t type = PieceType::normal;
};

/// A byte-pair model of the special pieces and then these. Merges are in the order of `pieces`.
Tokenizer of_pieces(const std::vector<MadePiece>& pieces, std::uint64_t kind = kBytePairs) {
  std::string model;
  const auto add = [&](std::string_view text, float score, std::uint64_t type) {
    std::string piece;
    append_proto_bytes(piece, PieceField::text, text);
    append_proto_float(piece, PieceField::score, score);
    append_proto_integer(piece, PieceField::type, type);
    append_proto_bytes(model, ModelField::pieces, piece);
  };
  add("<unk>", 0, PieceType::unknown);
  for (const auto* text : {"<pad>", "<s>", "</s>"}) add(text, 0, PieceType::control);
  float score = 0;
  for (const auto& [text, type] : pieces) add(text, score--, type);
  std::string trainer;
  append_proto_integer(trainer, TrainerField::model_type, kind);
  const auto special = [&](std::uint32_t id_field, std::uint64_t id) {
    append_proto_integer(trainer, id_field, id);
  };
  special(TrainerField::unknown_id, kUnknown);
  special(TrainerField::begin_id, kBos);
  special(TrainerField::end_id, kEos);
  special(TrainerField::pad_id, kPad);
  append_proto_bytes(model, ModelField::trainer, trainer);
  return Tokenizer::of_content(model, "made.model");
}

std::vector<std::string> texts() {
  auto lines = test::english_lines();
  for (const auto& line : test::german_lines()) lines.push_back(line);
  for (const auto* line :
       {"", " ", "x", "The 猫 sees", "猫 語", "a\u2581b", "Ähnliche Fahrräder  sieht ", "...."})
    lines.emplace_back(line);
  lines.push_back(test::join_lines(test::german_lines()).substr(0, 3000));
  return lines;
}

TEST_CASE("with no dropout, what is drawn is what SentencePiece encodes") {
  const TemporaryFolder folder;
  const bool byte_fallback = GENERATE(false, true);
  auto options = test::small(byte_fallback ? 420 : 120);
  options.byte_fallback = byte_fallback;
  const auto tokenizer = test::train(folder, options);
  const BpeDropout dropout(tokenizer, 0);
  std::uint64_t seed = 0;
  for (const auto& text : texts()) {
    CAPTURE(text);
    const auto ids = tokenizer.encode(text);
    CHECK(draw(dropout, ids, ++seed) == ids);
  }
}

TEST_CASE("from whatever was drawn, the same is drawn as from the text") {
  const TemporaryFolder folder;
  const auto tokenizer = test::train(folder, test::small());
  const BpeDropout all(tokenizer, 0), half(tokenizer, 0.5);
  std::uint64_t seed = 0;
  for (const auto& text : texts()) {
    CAPTURE(text);
    const auto ids = tokenizer.encode(text);
    const auto cut = draw(half, ids, ++seed);
    CHECK(tokenizer.decode(cut) == tokenizer.decode(ids));
    CHECK(cut.size() >= ids.size());
    CHECK(draw(all, cut, seed) == ids);
    CHECK(draw(half, cut, seed) == cut);
    CHECK(draw(half, ids, seed) == cut);
  }
}

// The characters are a, b and c. The merges, first to last, are a+b, ab+c and b+c.
TEST_CASE("each outcome has the probability that a hand finds for it") {
  const auto tokenizer = of_pieces({{"ab"}, {"abc"}, {"bc"}, {"a"}, {"b"}, {"c"}});
  enum : std::int32_t { ab = 4, abc, bc, a, b, c };
  constexpr double p = 0.3;
  constexpr int draws = 200'000;
  // The merge to ab happens with probability 1 - p, then that of ab and c to abc with 1 - p. If ab is
  // skipped, b and c merge with 1 - p, then a and bc with 1 - p to the same piece abc.
  const Shares expected{{{abc}, (1 - p) * (1 - p) * (1 + p)},
                        {{ab, c}, (1 - p) * p},
                        {{a, bc}, p * (1 - p) * p},
                        {{a, b, c}, p * p}};
  const auto found = shares(BpeDropout(tokenizer, p), {abc}, draws);
  CHECK(found.size() == expected.size());
  for (const auto& [ids, share] : expected) {
    CAPTURE(ids);
    REQUIRE(found.contains(ids));
    CHECK(std::abs(found.at(ids) - share) < bound(share, draws));
  }
}

TEST_CASE("each segmentation is as frequent as SentencePiece samples it") {
  const TemporaryFolder folder;
  const auto tokenizer = test::train(folder, test::small(150));
  sentencepiece::SentencePieceProcessor processor;
  REQUIRE(processor.LoadFromSerializedProto(tokenizer.serialized()).ok());
  sentencepiece::SetRandomGeneratorSeed(1);
  constexpr int draws = 20'000;
  for (const float p : {0.1F, 0.5F}) {
    const BpeDropout dropout(tokenizer, p);
    for (const auto* text : {"bicycles", "The woman sees", "Fahrräder"}) {
      CAPTURE(text, p);
      Shares sampled;
      for (int i = 0; i < draws; ++i) {
        Ids ids;
        REQUIRE(processor.SampleEncode(text, -1, p, &ids).ok());
        sampled[ids] += 1.0 / draws;
      }
      const auto found = shares(dropout, tokenizer.encode(text), draws);
      REQUIRE(found.size() > 1);
      std::set<Ids> all;
      for (const auto& drawn : {found, sampled})
        for (const auto& [ids, share] : drawn) all.insert(ids);
      for (const auto& ids : all) {
        const auto ours = found.contains(ids) ? found.at(ids) : 0.0,
                   theirs = sampled.contains(ids) ? sampled.at(ids) : 0.0;
        CAPTURE(ids, ours, theirs);
        CHECK(std::abs(ours - theirs) <
              std::sqrt(2) * bound(std::max((ours + theirs) / 2, 5.0 / draws), draws));
      }
    }
  }
}

TEST_CASE("pieces that users define stay whole, and unknown text unknown") {
  const auto tokenizer = of_pieces({{"ab"}, {"a"}, {"b"}, {"x", PieceType::user}, {"ba", PieceType::user}});
  enum : std::int32_t { ab = 4, a, b, x, ba };
  const BpeDropout none(tokenizer, 0), most(tokenizer, 0.99);
  CHECK(draw(none, {a, b, x, kUnknown, ba, a, b}, 1) == Ids{ab, x, kUnknown, ba, ab});
  CHECK(draw(most, {ab, x, kUnknown, ba, ab}, 1) == Ids{a, b, x, kUnknown, ba, a, b});
}

TEST_CASE("what is no byte-pair encoding of its own ids is refused") {
  const auto refused = [](const Tokenizer& tokenizer, const std::string& found) {
    CHECK_THROWS_AS(BpeDropout(tokenizer, 0.1), InputError);
    CHECK_THROWS_WITH(BpeDropout(tokenizer, 0.1),
                      ContainsSubstring("data.bpe_dropout") && ContainsSubstring("found " + found));
  };
  const std::vector<MadePiece> plain{{"a"}};
  refused(of_pieces(plain, kUnigram), "another kind");
  refused(of_pieces({{"a"}, {"aa", PieceType::unused}}), "the piece 'aa', which is in no use");
  refused(of_pieces({{"a"}, {"ab"}}), "the piece 'ab' with a character");
  const TemporaryFolder folder;
  const auto file = folder.write("one.model", of_pieces(plain).serialized());
  refused(Tokenizer(file, Vocabulary({"<unk>", "<pad>", "<s>", "</s>", "b", "a"}, "test")),
          "one whose pieces");
  CHECK_THROWS_AS(draw(BpeDropout(of_pieces(plain), 0.1), {9}, 1), std::out_of_range);
}

}  // namespace
}  // namespace transformer::data
