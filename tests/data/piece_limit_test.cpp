#include "transformer/data/piece_limit.h"

#include "tests/catch.h"
#include "tests/data/sample_text.h"
#include "tests/data/train_tokenizer.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/data/tokenizer_training.h"

namespace transformer::data {
namespace {

TEST_CASE("each different word counts once, and its characters besides") {
  PieceLimit limit(1000);
  limit.add("ab  ab ");
  CHECK(limit.pieces() == 3 + 6);  // ▁, a and b; and what becomes of ▁ab
  limit.add("abc ab");
  CHECK(limit.pieces() == 9 + 1 + 9);
  CHECK(limit.words() == 2);
  limit.add("");
  limit.add(std::string(kLongestTrainingLine + 1, 'x'));
  CHECK(limit.pieces() == 19);
  limit.add("ü");  // some characters of two bytes become several
  CHECK(limit.pieces() == 19 + 4 + 12);
  CHECK_FALSE(limit.reached());
}

TEST_CASE("no more is counted than is asked for") {
  PieceLimit limit(20);
  for (int i = 100; i < 1000; ++i) limit.add(std::to_string(i) + " " + std::to_string(-i));
  CHECK(limit.reached());
  CHECK(limit.words() < 10);
}

TEST_CASE("the bound is one: SentencePiece never trains more pieces") {
  const test::TemporaryFolder folder;
  PieceLimit limit(1 << 20);
  for (const auto& lines : {test::english_lines(), test::german_lines()})
    for (const auto& line : lines) limit.add(line);
  const std::vector<std::string> english = test::english_lines(), german = test::german_lines();
  for (const auto normalization :
       {NormalizationRule::nmt_nfkc, NormalizationRule::nmt_nfkc_cf, NormalizationRule::identity}) {
    DataOptions options;
    options.normalization = normalization;
    options.vocabulary = limit.pieces() + 4 + 1;  // with the special ones
    try {
      test::train_tokenizer({english, german}, options, folder.path() / "model");
      FAIL_CHECK("more pieces than there can be");
    } catch (const InputError& error) {
      CHECK_THAT(error.what(), ContainsSubstring("expected at most"));
    }
  }
}

}  // namespace
}  // namespace transformer::data
