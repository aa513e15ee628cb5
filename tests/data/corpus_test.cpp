#include "transformer/data/corpus.h"

#include <sys/stat.h>

#include "tests/catch.h"
#include "tests/compress.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"

namespace transformer::data {
namespace {

using test::TemporaryFolder;

struct Pairs {
  std::vector<std::string> source, target;
  std::size_t windows_line_ends = 0;
};

Pairs read_pairs(const std::string& prefix) {
  ExampleReader reader(prefix, {});
  Pairs pairs;
  for (std::vector<std::string> texts; reader.next(texts);) {
    pairs.source.push_back(texts.at(0));
    pairs.target.push_back(texts.at(1));
  }
  pairs.windows_line_ends = reader.windows_line_ends();
  return pairs;
}

Verdict verdict_of(const std::vector<std::int64_t>& tokens, const DataOptions& options) {
  return judge(tokens, options);
}

TEST_CASE("both sides of a split are read line by line") {
  const TemporaryFolder folder;
  folder.write("train.en", "One.\r\n\nThree");
  folder.write("train.de", "Eins.\nZwei.\n\n");
  const auto text = read_pairs((folder.path() / "train").string());
  CHECK(text.source == std::vector<std::string>{"One.", "", "Three"});
  CHECK(text.target == std::vector<std::string>{"Eins.", "Zwei.", ""});
  CHECK(text.windows_line_ends == 1);
}

TEST_CASE("sides that cannot belong together are refused") {
  const TemporaryFolder folder;
  const auto prefix = (folder.path() / "train").string();
  folder.write("train.en", "One.\nTwo.\nThree.\n");
  CHECK_THROWS_WITH(read_pairs(prefix), ContainsSubstring("train.de"));
  folder.write("train.de", "Eins.\nZwei.\n");
  CHECK_THROWS_WITH(read_pairs(prefix), ContainsSubstring("train.en") && ContainsSubstring("train.de") &&
                                            ContainsSubstring("3") && ContainsSubstring("2"));
  folder.write("train.de", "Eins.\nZwei \xff.\nDrei.\n");
  CHECK_THROWS_WITH(read_pairs(prefix), ContainsSubstring("train.de:2"));
}

TEST_CASE("a side may be compressed, and what is plain comes first") {
  const TemporaryFolder folder;
  const auto prefix = (folder.path() / "train").string();
  const auto path = [&](const std::string& name) { return folder.path() / name; };
  CHECK(side_path(prefix, "en", {}) == path("train.en"));  // to be named as missing
  folder.write("train.en.zst", test::zstandard("One.\r\nTwo.\n"));
  folder.write("train.de.gz", test::gzip("Eins.\nZwei.\n"));
  CHECK(side_path(prefix, "en", {}) == path("train.en.zst"));
  const auto text = read_pairs(prefix);
  CHECK(text.source == std::vector<std::string>{"One.", "Two."});
  CHECK(text.target == std::vector<std::string>{"Eins.", "Zwei."});
  CHECK(text.windows_line_ends == 1);
  folder.write("train.en.gz", "");
  CHECK(side_path(prefix, "en", {}) == path("train.en.gz"));
  folder.write("train.en", "");
  CHECK(side_path(prefix, "en", {}) == path("train.en"));
}

TEST_CASE("a pipe is refused, since texts are read several times") {
  const TemporaryFolder folder;
  folder.write("train.de", "Eins.\n");
  REQUIRE(::mkfifo((folder.path() / "train.en").c_str(), 0600) == 0);
  CHECK_THROWS_WITH(read_pairs((folder.path() / "train").string()),
                    ContainsSubstring("train.en: expected a file, found a pipe"));
}

TEST_CASE("by default no pair is dropped for the ratio of its lengths") {
  CHECK(verdict_of({2, 7}, {}) == Verdict::keep);  // "Ja ." and "Yes , that is right ."
  CHECK(verdict_of({1, 256}, {}) == Verdict::keep);
}

TEST_CASE("the filters drop exactly what they say") {
  DataOptions options;
  options.max_tokens = 10;
  options.max_ratio = 2.5;
  CHECK(verdict_of({1, 1}, options) == Verdict::keep);
  CHECK(verdict_of({10, 10}, options) == Verdict::keep);
  CHECK(verdict_of({11, 10}, options) == Verdict::too_long);
  CHECK(verdict_of({10, 11}, options) == Verdict::too_long);
  CHECK(verdict_of({0, 5}, options) == Verdict::empty);
  CHECK(verdict_of({5, 0}, options) == Verdict::empty);
  CHECK(verdict_of({0, 0}, options) == Verdict::empty);
  CHECK(verdict_of({0, 50}, options) == Verdict::empty);
  CHECK(verdict_of({4, 10}, options) == Verdict::keep);  // exactly 2.5
  CHECK(verdict_of({10, 4}, options) == Verdict::keep);
  CHECK(verdict_of({3, 8}, options) == Verdict::ratio);
  CHECK(verdict_of({8, 3}, options) == Verdict::ratio);
  CHECK(verdict_of({1, 20}, options) == Verdict::too_long);
  options.max_ratio = 0;
  CHECK(verdict_of({1, 10}, options) == Verdict::keep);
}

TEST_CASE("dropped pairs are counted by reason") {
  FilterCounts counts;
  for (const auto verdict :
       {Verdict::keep, Verdict::ratio, Verdict::empty, Verdict::too_long, Verdict::keep}) {
    counts.add(verdict);
  }
  CHECK(counts == FilterCounts{2, 1, 1, 1});
  CHECK(counts.total() == 5);
}

TEST_CASE("a table has both sides, be it compressed, and columns that are passed over") {
  const TemporaryFolder folder;
  const std::string text = "One.\tEins.\r\nTwo.\tZwei.\tCC-BY\t#2\n\t\nLast\tEnde";
  folder.write("pairs.tsv", text);
  const auto table = (folder.path() / "pairs.tsv").string();
  const auto pairs = read_pairs(table);
  CHECK(pairs.source == std::vector<std::string>{"One.", "Two.", "", "Last"});
  CHECK(pairs.target == std::vector<std::string>{"Eins.", "Zwei.", "", "Ende"});
  CHECK(pairs.windows_line_ends == 1);

  folder.write("packed.tsv.gz", test::gzip(text));
  const auto packed = (folder.path() / "packed.tsv").string();
  CHECK(side_path(packed, "en", {}) == packed + ".gz");
  CHECK(read_pairs(packed).target == pairs.target);
  CHECK(read_pairs(packed + ".gz").target == pairs.target);
  CHECK((has_table_name("a.tsv") && has_table_name("b/a.tsv.zst") && !has_table_name("tsv") &&
         !has_table_name("a.tsv.en")));
}

TEST_CASE("a file of any name is a table if its first line has a tab and no side lies beside it") {
  const TemporaryFolder folder;
  const auto path = [&](const std::string& name) { return (folder.path() / name).string(); };
  folder.write("fra.txt", "Go.\tVa !\tCC-BY 2.0\nHi.\tSalut !\tCC-BY 2.0\n");
  CHECK(is_table(path("fra.txt"), {}));
  CHECK(side_path(path("fra.txt"), "en", {}) == path("fra.txt"));
  CHECK(read_pairs(path("fra.txt")).target == std::vector<std::string>{"Va !", "Salut !"});
  ExampleReader other_way(path("fra.txt"), {.columns = {"2", "1"}});
  std::vector<std::string> texts;
  CHECK((other_way.next(texts) && texts == std::vector<std::string>{"Va !", "Go."}));

  folder.write("packed.txt.gz", test::gzip("Go.\tVa !\n"));
  CHECK(read_pairs(path("packed.txt")).target == std::vector<std::string>{"Va !"});
  CHECK(read_pairs(path("packed.txt.gz")).target == std::vector<std::string>{"Va !"});

  folder.write("plain.txt", "Go.\nHi.\tSalut !\n");
  folder.write("long.txt", std::string(70000, 'a') + "\tb\n");
  for (const auto* no_table : {"plain.txt", "long.txt", "none.txt", "."}) {
    CAPTURE(no_table);
    CHECK_FALSE(is_table(path(no_table), {}));
    CHECK(side_path(path(no_table), "en", {}) == path(no_table) + ".en");
  }

  folder.write("fra.txt.de.gz", test::gzip("Los.\n"));  // then the other side is missing
  CHECK_FALSE(is_table(path("fra.txt"), {}));
  CHECK(is_table(path("fra.txt"), {.source = "fra", .target = "eng"}));
}

TEST_CASE("a line of a table without a tab is refused by its number") {
  const TemporaryFolder folder;
  folder.write("pairs.tsv", "One.\tEins.\nTwo. Zwei.\n");
  const auto table = (folder.path() / "pairs.tsv").string();
  CHECK_THROWS_WITH(read_pairs(table),
                    table + ":2: expected two sentences with a tab between them, found no tab");
}

TEST_CASE("the columns of a table are chosen by number or by the names of its first line") {
  const TemporaryFolder folder;
  folder.write("pairs.tsv", "id\tGerman\tEnglish\n1\tEins.\tOne.\r\n2\tZwei.\tTwo.\textra\n");
  const auto table = (folder.path() / "pairs.tsv").string();
  const auto read = [&](const Columns& columns, std::int64_t most = 0) {
    ExampleReader reader(table, {.columns = columns}, most);
    std::vector<std::string> pairs;
    for (std::vector<std::string> texts; reader.next(texts);) pairs.push_back(texts[0] + "|" + texts[1]);
    return pairs;
  };
  using List = std::vector<std::string>;
  CHECK(read({"English", "German"}) == List{"One.|Eins.", "Two.|Zwei."});
  CHECK(read({"German", "id"}, 1) == List{"Eins.|1"});
  CHECK(read({"3", "2"}) == List{"English|German", "One.|Eins.", "Two.|Zwei."});
  CHECK(read({"1", "2"}, 2) == List{"id|German", "1|Eins."});
  CHECK_THROWS_WITH(read({"English", "French"}),
                    table +
                        ":1: expected the names of the columns, one of them French (data.columns), found "
                        "id, German, English");
  CHECK_THROWS_WITH(read({"4", "1"}), table + ":1: expected 4 columns at least (data.columns), found 3");
  folder.write("pairs.tsv", "");
  CHECK(read({"English", "German"}).empty());
}

TEST_CASE("as many pairs are read as are wanted, and no line behind them") {
  const TemporaryFolder folder;
  folder.write("pairs.tsv", "One.\tEins.\nTwo.\tZwei.\nno pair\n");
  folder.write("train.en", "One.\nTwo.\nThree.\n");
  folder.write("train.de", "Eins.\nZwei.\n");
  for (const auto* prefix : {"pairs.tsv", "train"}) {
    ExampleReader reader((folder.path() / prefix).string(), {}, 2);
    std::vector<std::string> texts;
    CHECK((reader.next(texts) && texts == std::vector<std::string>{"One.", "Eins."}));
    CHECK((reader.next(texts) && texts == std::vector<std::string>{"Two.", "Zwei."}));
    CHECK_FALSE(reader.next(texts));
  }
  folder.write("train.en", "One.\nTwo.\nThree.\nFour.\nFive.\n");
  const auto read_all = [&] {
    ExampleReader reader((folder.path() / "train").string(), {}, 3);
    for (std::vector<std::string> texts; reader.next(texts);) continue;
  };
  CHECK_THROWS_WITH(read_all(), ContainsSubstring("expected equally many lines, found 5 and 2"));
}

TEST_CASE("a document is a line, a paragraph or a file") {
  const TemporaryFolder folder;
  folder.write("text.txt", "\nOne.\r\nTwo.\n \n\nThree.\n\n\tFour.\n");
  using List = std::vector<std::string>;
  const auto path = (folder.path() / "text.txt").string();
  const auto read = [&](DocumentKind kind, std::int64_t most = 0) {
    const DataOptions options{.examples = ExampleKind::documents, .document = kind};
    ExampleReader reader(path, options, most);
    List documents;
    for (List texts; reader.next(texts);) {
      REQUIRE(texts.size() == 1);
      documents.push_back(texts[0]);
    }
    return documents;
  };
  CHECK(read(DocumentKind::line) == List{"One.", "Two.", "Three.", "\tFour."});
  CHECK(read(DocumentKind::line, 2) == List{"One.", "Two."});
  CHECK(read(DocumentKind::paragraph) == List{"One.\nTwo.", "Three.", "\tFour."});
  CHECK(read(DocumentKind::file) == List{"\nOne.\nTwo.\n \n\nThree.\n\n\tFour."});
  folder.write("text.txt", "\n\n");
  CHECK(read(DocumentKind::line).empty());
  CHECK(read(DocumentKind::paragraph).empty());
}

TEST_CASE("documents are the file that is named, compressed or not") {
  const TemporaryFolder folder;
  const auto path = (folder.path() / "text.tsv").string();
  const DataOptions options{.examples = ExampleKind::documents, .train = path, .dev = path};
  folder.write("text.tsv.gz", test::gzip("a\tb\n"));
  CHECK_FALSE(is_table(path, options));
  CHECK(side_path(path, options.source, options) == path + ".gz");
  REQUIRE(side_files(path, options).size() == 1);
  CHECK(input_files(options).size() == 2);
  CHECK(input_files(options)[0].name == "train.target");
}

TEST_CASE("documents that become blocks are never too long") {
  DataOptions options{.examples = ExampleKind::documents, .max_tokens = 10};
  CHECK(verdict_of({10}, options) == Verdict::keep);
  CHECK(verdict_of({11}, options) == Verdict::too_long);
  CHECK(verdict_of({0}, options) == Verdict::empty);
  options.block = 4;
  CHECK(verdict_of({11}, options) == Verdict::keep);
}

}  // namespace
}  // namespace transformer::data
