#include "transformer/data/tree_texts.h"

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/base/text_file.h"
#include "transformer/data/corpus.h"
#include "transformer/data/prepare.h"
#include "transformer/data/prepared.h"

using namespace transformer;

namespace {

constexpr const char* kTrees =
    "( (S (NP-SBJ (DT the) (NN cat)) (VP (VBD sat)) (. .)) )\n"
    "\n"
    "( (S\r\n"
    "    (NP-SBJ-1 (-NONE- *))\n"
    "    (VP (VB sit)) (. .)) )\n"
    "( (S (NP (-NONE- *))) )\n"
    "(FRAG (NP (NN cat)))";

data::DataOptions options_of(const test::TemporaryFolder& folder, const std::string& trees) {
  folder.write("train.trees", trees);
  folder.write("dev.trees", "(S (NP (NN cat)) (VP (VBZ sits)))\n");
  data::DataOptions options;
  options.examples = data::ExampleKind::trees;
  options.tokenizer_kind = data::TokenizerKind::words;
  options.train = (folder.path() / "train.trees").string();
  options.dev = (folder.path() / "dev.trees").string();
  options.prepared = (folder.path() / "prepared").string();
  return options;
}

std::string target_of(const data::Prepared& prepared, const data::Dataset& data, std::int64_t i) {
  const auto ids = data.target(i);
  return prepared.target_tokenizer.decode({ids.begin(), ids.end()});
}

}  // namespace

TEST_CASE("trees of one or several lines are examples of words and brackets") {
  const test::TemporaryFolder folder;
  const auto options = options_of(folder, kTrees);
  data::ExampleReader reader(options.train, options);
  std::vector<std::string> texts;
  REQUIRE(reader.next(texts));
  CHECK(texts ==
        std::vector<std::string>{"the cat sat .", "(S (NP (DT the) (NN cat)) (VP (VBD sat)) (. .))"});
  REQUIRE(reader.next(texts));
  CHECK(texts == std::vector<std::string>{"sit .", "(S (VP (VB sit)) (. .))"});
  REQUIRE(reader.next(texts));  // the tree of a trace alone is no sentence
  CHECK(texts == std::vector<std::string>{"cat", "(FRAG (NP (NN cat)))"});
  CHECK_FALSE(reader.next(texts));
  CHECK(reader.windows_line_ends() == 1);
  data::ExampleReader first(options.train, options, 1);
  REQUIRE(first.next(texts));
  CHECK_FALSE(first.next(texts));
}

TEST_CASE("trees are prepared as pairs of words and the tree's tokens") {
  const test::TemporaryFolder folder;
  auto options = options_of(folder, kTrees);
  prepare(options, {.quiet = true});
  const data::Prepared prepared(options);
  CHECK_FALSE(prepared.shared_vocabulary);
  REQUIRE(prepared.train.size() == 3);
  CHECK(target_of(prepared, prepared.train, 0) == "(S (NP DT NN )NP (VP VBD )VP . )S");
  CHECK(target_of(prepared, prepared.train, 1) == "(S (VP VB )VP . )S");
  // A tag that training lacks is unknown, and the text that is judged by keeps it.
  CHECK(prepared.dev.target(0)[5] == 0);
  CHECK(read_file(prepared.paths.target_text("dev")) == "(S (NP (NN cat)) (VP (VBZ sits)))\n");
  CHECK(read_file(prepared.paths.source_text("dev")) == "cat sits\n");

  options.tree_tags = false;
  CHECK_THROWS_WITH(data::Prepared(options),
                    Catch::Matchers::Contains("data.tree_tags is false, but was true"));
  prepare(options, {.overwrite = true, .quiet = true});
  const data::Prepared without(options);
  CHECK(target_of(without, without.train, 0) == "(S (NP XX XX )NP (VP XX )VP XX )S");
}

TEST_CASE("what is no tree is refused with the line where it begins") {
  const auto refusal = [](const std::string& trees) {
    const test::TemporaryFolder folder;
    const auto options = options_of(folder, trees);
    try {
      prepare(options, {.quiet = true});
    } catch (const InputError& error) {
      const std::string text = error.what();
      return text.substr(text.find_last_of('/') + 1);
    }
    return std::string();
  };
  CHECK(refusal("(S (NN a))\nno tree\n") ==
        "train.trees:2: expected a tree in brackets: character 1: expected an opening bracket, found 'no "
        "tree'");
  CHECK(refusal("(S (NN a))\n\n(S\n(NN b)\n") ==
        "train.trees:3: expected a tree in brackets: character 10: expected a closing bracket, found the end "
        "of "
        "the line");
  CHECK(refusal("(S (NN a)))\n") ==
        "train.trees:1: expected a tree in brackets: character 11: expected the end of the line behind the "
        "tree, "
        "found ')'");
  CHECK(refusal("") == "train.trees: expected sentences, found an empty file");
}
