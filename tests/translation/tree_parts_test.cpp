#include "transformer/translation/tree_parts.h"

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/data/character_vocabulary.h"
#include "transformer/data/word_vocabulary.h"

using namespace transformer;
using Kind = search::TreePart::Kind;

namespace {

data::Tokenizer tokenizer_of(const std::vector<std::string>& lines, data::TokenizerKind kind) {
  static const test::TemporaryFolder folder;
  static int number = 0;
  const auto file = folder.path() / (std::to_string(number++) + ".model");
  data::DataOptions options;
  options.tokenizer_kind = kind;
  options.vocabulary = 100;
  options.normalization = data::NormalizationRule::identity;
  const auto next = [at = lines.begin(), end = lines.end()](std::string& line) mutable {
    if (at == end) return false;
    line = *at++;
    return true;
  };
  (kind == data::TokenizerKind::words ? data::count_words_of : data::count_characters_of)(next, options,
                                                                                          file);
  return data::Tokenizer(file);
}

search::TreePart part_of(const data::Tokenizer& tokenizer, const std::string& word) {
  const auto ids = tokenizer.encode(word);
  REQUIRE(ids.size() == 1);
  return translation::tree_parts(tokenizer)[static_cast<std::size_t>(ids[0])];
}

}  // namespace

TEST_CASE("tokens of trees are tags, beginnings and ends, which share a label's number") {
  const auto tokenizer =
      tokenizer_of({"(S (NP DT NN )NP (VP VBD )VP )S", "(S -LRB- , `` )S (X"}, data::TokenizerKind::words);
  const auto parts = translation::tree_parts(tokenizer);
  REQUIRE(std::ssize(parts) == tokenizer.size());
  for (std::size_t id = 0; id < 4; ++id) CHECK(parts[id] == search::TreePart{});  // the special ones
  for (const auto* tag : {"DT", "NN", "VBD", "-LRB-", ",", "``"})
    CHECK(part_of(tokenizer, tag).kind == Kind::tag);
  std::vector<std::int32_t> labels;
  for (const std::string label : {"S", "NP", "VP"}) {
    const auto begins = part_of(tokenizer, "(" + label), ends = part_of(tokenizer, ")" + label);
    CHECK(begins.kind == Kind::begins);
    CHECK(ends.kind == Kind::ends);
    CHECK(begins.label == ends.label);
    CHECK(std::ranges::find(labels, begins.label) == labels.end());
    labels.push_back(begins.label);
  }
  CHECK(part_of(tokenizer, "(X").kind == Kind::other);  // it could not end
}

TEST_CASE("vocabularies of something else are refused by the name of their file") {
  const std::vector<std::string> tree{"(S (NP DT NN )NP (VP VBD )VP )S"};
  CHECK_THROWS_WITH(translation::tree_parts(tokenizer_of(tree, data::TokenizerKind::characters)),
                    ContainsSubstring("expected a vocabulary of whole words for decode.whole_trees"));
  CHECK_THROWS_WITH(
      translation::tree_parts(tokenizer_of({"a house and a man"}, data::TokenizerKind::words)),
      ContainsSubstring("expected tokens of trees for decode.whole_trees, such as (NP, )NP and NN"));
}
