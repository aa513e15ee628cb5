#include "transformer/data/piece_links.h"

#include "tests/catch.h"
#include "tests/data/small_tokenizer.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/data/prepare.h"
#include "transformer/data/prepared.h"
#include "transformer/data/summary.h"
#include "transformer/data/word_begins.h"

namespace transformer::data {
namespace {

using test::TemporaryFolder;

/// A link of pieces, with its share.
struct Found {
  std::int64_t sentence, target, source;
  float share;
  bool operator==(const Found&) const = default;
};

std::vector<Found> found(const PieceLinks& links) {
  std::vector<Found> all;
  for (std::size_t i = 0; i < links.shares.size(); ++i)
    all.push_back({links.sentences[i], links.targets[i], links.sources[i], links.shares[i]});
  return all;
}

/// Options of a corpus whose words are whole tokens.
DataOptions corpus_of_words(const TemporaryFolder& folder, const std::string& links) {
  folder.write("train.en", "a b c\na a\nb c\nc\n");
  folder.write("train.de", "x y\nx x\ny z\nz z z\n");
  folder.write("train.links", links);
  folder.write("dev.en", "a\n");
  folder.write("dev.de", "x\n");
  DataOptions options;
  options.tokenizer_kind = TokenizerKind::words;
  options.train = (folder.path() / "train").string();
  options.dev = (folder.path() / "dev").string();
  options.prepared = (folder.path() / "prepared").string();
  options.shared_vocabulary = false;
  options.links = "links";
  return options;
}

TEST_CASE("links of words are those of their pieces, by the example's number and place") {
  const TemporaryFolder folder;
  const auto options = corpus_of_words(folder, "0-0 2-0 1-1\n\n1-0\n0-2\n");
  prepare(options, {.quiet = true});
  const Prepared data(options);
  const LinkedWords linker(data.paths.train_links(), 4, data.source_tokenizer, data.target_tokenizer);
  const std::int64_t all[] = {3, 0, 1, 2};
  CHECK(found(linker.links_of(make_batch(data.train, all))) ==
        std::vector<Found>{{0, 2, 0, 1}, {1, 0, 0, 0.5}, {1, 0, 2, 0.5}, {1, 1, 1, 1}, {3, 0, 1, 1}});
  // Words without links look at the source's end, the place behind its last word, but not in a pair whose
  // links are not known.
  const LinkedWords null(data.paths.train_links(), 4, data.source_tokenizer, data.target_tokenizer,
                         Unlinked::end);
  CHECK(found(null.links_of(make_batch(data.train, all))) == std::vector<Found>{{0, 0, 1, 1},
                                                                                {0, 1, 1, 1},
                                                                                {0, 2, 0, 1},
                                                                                {1, 0, 0, 0.5},
                                                                                {1, 0, 2, 0.5},
                                                                                {1, 1, 1, 1},
                                                                                {3, 0, 1, 1},
                                                                                {3, 1, 2, 1}});
  CHECK_THROWS_WITH(LinkedWords(data.paths.train_links(), 5, data.source_tokenizer, data.target_tokenizer),
                    ContainsSubstring("expected a line for each of 5 training pairs, found 4"));
}

TEST_CASE("each piece of a word has its word's links, to all their pieces in equal shares") {
  const TemporaryFolder folder;
  const auto tokenizer = test::train(folder, test::small());
  const std::string source = "The neighbour sees mountains", target = "Nachbar Berge";
  folder.write("links", "1-0 2-1 3-1\n");
  const LinkedWords linker(folder.path() / "links", 1, tokenizer, tokenizer);
  Sentences sources, targets;
  sources.add(tokenizer.encode(source));
  targets.add(tokenizer.encode(target));
  const std::int64_t only[] = {0};
  const auto links = linker.links_of(make_batch(sources, targets, only));
  const auto begins = word_begins(tokenizer);
  auto from = first_pieces(sources[0], begins), to = first_pieces(targets[0], begins);
  REQUIRE(from.size() == 4);
  REQUIRE(to.size() == 2);
  REQUIRE(targets[0].size() > 4);  // several pieces a word
  from.push_back(std::ssize(sources[0]));
  to.push_back(std::ssize(targets[0]));
  std::vector<Found> expected;
  for (auto place = to[0]; place < to[1]; ++place)
    for (auto s = from[1]; s < from[2]; ++s)
      expected.push_back({0, place, s, 1.0F / static_cast<float>(from[2] - from[1])});
  for (auto place = to[1]; place < to[2]; ++place)
    for (auto s = from[2]; s < from[4]; ++s)
      expected.push_back({0, place, s, 1.0F / static_cast<float>(from[4] - from[2])});
  CHECK(found(links) == expected);
}

TEST_CASE("of trees each token is linked to the word whose tag is next, and then to the end") {
  const TemporaryFolder folder;
  folder.write("train.trees", "(S (NP (DT the) (NN cat)) (VP (VBD sat)))\n(X (UH ah))\n");
  folder.write("dev.trees", "(X (UH ah))\n");
  DataOptions options;
  options.examples = ExampleKind::trees;
  options.tokenizer_kind = TokenizerKind::words;
  options.train = (folder.path() / "train.trees").string();
  options.dev = (folder.path() / "dev.trees").string();
  options.prepared = (folder.path() / "prepared").string();
  prepare(options, {.quiet = true});
  const Prepared data(options);
  const TreeWords linker(data.source_tokenizer, data.target_tokenizer);
  const std::int64_t both[] = {0, 1};
  // (S (NP DT NN )NP (VP VBD )VP )S </s>, then (X UH )X </s>
  std::vector<Found> expected;
  for (const std::int64_t word : {0, 0, 0, 1, 2, 2, 2, 3, 3, 3})
    expected.push_back({0, std::ssize(expected), word, 1});
  for (const std::int64_t word : {0, 0, 1, 1}) expected.push_back({1, std::ssize(expected) - 10, word, 1});
  CHECK(found(linker.links_of(make_batch(data.train, both))) == expected);
}

TEST_CASE("the links of pairs that the filters drop go with them") {
  const TemporaryFolder folder;
  auto options = corpus_of_words(folder, "0-0 2-0 1-1\n\n1-0\n0-2\n");
  options.max_tokens = 2;
  const auto report = prepare(options, {.quiet = true});
  CHECK(report.splits.at("train").examples.kept == 2);
  CHECK(report.splits.at("train").without_links == 0);
  CHECK(read_file(PreparedPaths{options.prepared}.train_links()) == "\n1-0\n");
  CHECK(prepare(options).up_to_date);
  // Cut, a pair has other words than its links speak of.
  options.longer = Longer::cut;
  const auto cut = prepare(options, {.overwrite = true, .quiet = true});
  CHECK(cut.splits.at("train").without_links == 2);
  CHECK(read_file(PreparedPaths{options.prepared}.train_links()) == "\n\n1-0\n\n");
  CHECK(report_from_json(read_summary(PreparedPaths{options.prepared}.summary()).at("report"))
            .splits.at("train")
            .without_links == 2);
  folder.write("train.links", "0-0\n\n1-0\n0-2\n");
  CHECK_THROWS_WITH(Prepared(options), ContainsSubstring("train.links (data.links), found those of another"));
  options.links = "";
  CHECK_THROWS_WITH(Prepared(options), ContainsSubstring("data.links is \"\", but was \"links\""));
}

TEST_CASE("links that do not fit their texts are refused by file and line") {
  const auto refusal = [](const std::string& links) {
    const TemporaryFolder folder;
    const auto options = corpus_of_words(folder, links);
    try {
      prepare(options, {.quiet = true});
    } catch (const InputError& error) {
      CHECK_FALSE(std::filesystem::exists(options.prepared));
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK_THAT(
      refusal("0-0\n\n1-0\n0-3\n"),
      Catch::Matchers::EndsWith("train.links:4: expected links of 1 source and 3 target words, found '0-3'"));
  CHECK_THAT(refusal("0-0\n2-0\n\n\n"),
             ContainsSubstring("train.links:2: expected links of 2 source and 2 target words, found '2-0'"));
  CHECK_THAT(refusal("0-0\n0?0\n\n\n"), ContainsSubstring("train.links:2: expected links of words counted"));
  CHECK_THAT(refusal("0-0\n\n"), ContainsSubstring("expected equally many lines, found 4 and 2"));
  CHECK_THAT(refusal("0-0\n\n\n\n\n"), ContainsSubstring("expected equally many lines, found 4 and 5"));
}

TEST_CASE("a table has no links beside it") {
  const TemporaryFolder folder;
  auto options = corpus_of_words(folder, "0-0\n");
  folder.write("table.tsv", "a\tx\n");
  options.train = (folder.path() / "table.tsv").string();
  CHECK_THROWS_WITH(prepare(options, {.quiet = true}),
                    ContainsSubstring("data.links: expected nothing where a training text is a table"));
}

}  // namespace
}  // namespace transformer::data
