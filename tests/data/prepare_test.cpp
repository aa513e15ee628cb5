#include "transformer/data/prepare.h"

#include <algorithm>
#include <fstream>

#include "tests/catch.h"
#include "tests/compress.h"
#include "tests/data/sample_text.h"
#include "tests/data/train_tokenizer.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/batching.h"
#include "transformer/data/prepared.h"
#include "transformer/data/summary.h"
#include "transformer/data/tokenizer_training.h"

namespace transformer::data {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

/// The sample texts as a corpus with three splits, and options to prepare it.
DataOptions sample_corpus(const TemporaryFolder& folder) {
  folder.write("train.en", test::join_lines(test::english_lines()));
  folder.write("train.de", test::join_lines(test::german_lines()));
  folder.write("dev.en", "The woman sees two bicycles.\nZ\n\n");
  folder.write("dev.de", "Die Frau sieht zwei Fahrräder.\nZ\nLeer.\n");
  folder.write("test.en", "My neighbour paints the mountains.\r\n");
  folder.write("test.de", "Mein Nachbar malt die Berge.\r\n");
  DataOptions options;
  options.train = (folder.path() / "train").string();
  options.dev = (folder.path() / "dev").string();
  options.test = (folder.path() / "test").string();
  options.prepared = (folder.path() / "prepared").string();
  options.vocabulary = 120;
  return options;
}

std::string decoded(const Tokenizer& tokenizer, std::span<const std::int32_t> ids) {
  return tokenizer.decode(ids);
}

TEST_CASE("several training texts stand one behind another, with how many were kept of each") {
  const TemporaryFolder folder;
  auto options = sample_corpus(folder);
  folder.write("more.tsv", "The woman sees two bicycles.\tDie Frau sieht zwei Fahrräder.\n\tLeer.\n");
  const auto first = std::ssize(test::english_lines());
  const auto alone = prepare(options);
  CHECK(alone.splits.at("train").kept == std::vector<std::int64_t>{first});
  CHECK(PreparedFolder(options).train_texts == std::vector<std::int64_t>{first});

  options.more_train = {(folder.path() / "more.tsv").string()};
  CHECK_THROWS_WITH(PreparedFolder(options),
                    ContainsSubstring("data.train is \"2 texts\", but was \"1 text\""));
  CHECK_THROWS_WITH(prepare(options), ContainsSubstring("data.train is \"2 texts\", but was \"1 text\""));
  const auto report = prepare(options, {.overwrite = true});
  const std::vector<std::int64_t> kept{first, 1};
  CHECK(report.splits.at("train").kept == kept);
  CHECK(report.splits.at("train").examples.empty == 1);
  const Prepared data(options);
  CHECK(data.train_texts == kept);
  CHECK(data.train.size() == first + 1);
  CHECK(decoded(data.target_tokenizer, data.train.target(first)) == "Die Frau sieht zwei Fahrräder.");
  CHECK(prepare(options).up_to_date);

  folder.write("more.tsv", "The woman sees two bicycles.\tDie Frau sieht Fahrräder.\n");
  CHECK_THROWS_WITH(PreparedFolder(options),
                    ContainsSubstring("more.tsv (data.train), found those of another"));
  options.more_train.clear();
  CHECK_THROWS_WITH(prepare(options), ContainsSubstring("data.train is \"1 text\", but was \"2 texts\""));
  folder.write("more.tsv", "");
  options.more_train = {(folder.path() / "more.tsv").string()};
  CHECK_THROWS_WITH(prepare(options, {.overwrite = true}),
                    ContainsSubstring("more.tsv: expected sentences, found an empty file"));
}

TEST_CASE("the sizes of vocabularies are those of what is there") {
  const TemporaryFolder folder;
  auto options = sample_corpus(folder);
  options.tokenizer_kind = TokenizerKind::words;
  options.vocabulary = 1000;
  CHECK(vocabulary_sizes(options) == std::pair<std::int64_t, std::int64_t>(1000, 1000));
  const auto words = prepare(options).source_vocabulary;
  CHECK(words < 1000);
  CHECK(vocabulary_sizes(options) == std::pair(words, words));
  auto other = options;
  other.vocabulary = 30;  // which the folder was not made with
  CHECK(vocabulary_sizes(other) == std::pair<std::int64_t, std::int64_t>(30, 30));
  other.tokenizer_kind = TokenizerKind::bpe;
  other.tokenizer = (folder.path() / "prepared" / "tokenizer.model").string();
  CHECK(vocabulary_sizes(other) == std::pair(words, words));
}

TEST_CASE("a prepared folder holds all that training needs") {
  const TemporaryFolder folder;
  const auto options = sample_corpus(folder);
  const auto report = prepare(options);
  CHECK_FALSE(report.up_to_date);
  CHECK(report.source_vocabulary == 120);
  CHECK(report.splits.at("train").examples == FilterCounts{80, 0, 0, 0});
  CHECK(report.splits.at("dev").examples == FilterCounts{3, 0, 0, 0});
  CHECK(report.splits.at("dev").source_unknown == 1);
  CHECK(report.splits.at("test").target_unknown == 0);

  const Prepared prepared(options);
  CHECK(prepared.shared_vocabulary);
  CHECK(prepared.source_tokenizer.path() == folder.path() / "prepared" / "tokenizer.model");
  REQUIRE(prepared.train.size() == 80);
  REQUIRE(prepared.dev.size() == 3);
  REQUIRE(prepared.test.has_value());
  CHECK(prepared.train.source_vocabulary() == 120);
  CHECK(report.splits.at("train").source_tokens == prepared.train.source_tokens());
  for (std::int64_t i = 0; i < 80; ++i) {
    REQUIRE(decoded(prepared.source_tokenizer, prepared.train.source(i)) ==
            test::english_lines()[static_cast<std::size_t>(i)]);
    REQUIRE(decoded(prepared.target_tokenizer, prepared.train.target(i)) ==
            test::german_lines()[static_cast<std::size_t>(i)]);
  }
  CHECK(prepared.dev.source(2).empty());
  CHECK(test::content_of(prepared.paths.source_text("dev")) == "The woman sees two bicycles.\nZ\n\n");
  CHECK(test::content_of(prepared.paths.target_text("test")) == "Mein Nachbar malt die Berge.\n");
}

TEST_CASE("separate vocabularies are separate") {
  const TemporaryFolder folder;
  auto options = sample_corpus(folder);
  options.shared_vocabulary = false;
  options.vocabulary = 80;
  options.test.clear();
  prepare(options);
  const Prepared prepared(fs::path(options.prepared));
  CHECK_FALSE(prepared.shared_vocabulary);
  CHECK_FALSE(prepared.test.has_value());
  CHECK(prepared.source_tokenizer.path() != prepared.target_tokenizer.path());
  CHECK(std::ranges::count(prepared.source_tokenizer.encode("ä"), kUnknown) == 1);
  CHECK(std::ranges::count(prepared.target_tokenizer.encode("ä"), kUnknown) == 0);
  CHECK(decoded(prepared.target_tokenizer, prepared.train.target(0)) == test::german_lines()[0]);
}

TEST_CASE("the training data is filtered, other splits are not") {
  const TemporaryFolder folder;
  auto options = sample_corpus(folder);
  const std::string english = "man\n\nman man man man man man man man man man\nman\nman\n";
  const std::string german = "Mann\nMann\nMann\n   \nMann Mann Mann Mann Mann\n";
  folder.write("train.en", test::join_lines(test::english_lines()) + english);
  folder.write("train.de", test::join_lines(test::german_lines()) + german);
  folder.write("dev.en", english);
  folder.write("dev.de", german);
  options.max_ratio = 4;
  options.max_tokens = 40;
  const auto usual = prepare(options).splits;
  CHECK(usual.at("train").examples.empty == 2);
  CHECK(usual.at("train").examples.ratio == 2);
  CHECK(usual.at("train").examples.kept == 81);
  CHECK(usual.at("dev").examples == FilterCounts{5, 0, 0, 0});

  options.max_tokens = 9;
  options.max_ratio = 0;
  options.prepared += "-short";
  const auto counts = prepare(options).splits.at("train").examples;
  CHECK(counts.total() == 85);
  CHECK(counts.ratio == 0);
  CHECK(counts.too_long > 0);
  const Prepared prepared(options);
  for (std::int64_t i = 0; i < prepared.train.size(); ++i) {
    REQUIRE(prepared.train.source(i).size() <= 9);
    REQUIRE(prepared.train.target(i).size() <= 9);
  }
}

TEST_CASE("compressed texts give what plain ones give") {
  const TemporaryFolder folder;
  auto options = sample_corpus(folder);
  prepare(options);
  const auto plain = fs::path(options.prepared);
  for (const auto* name : {"train.en", "train.de", "dev.en", "test.de"}) {
    const auto text = test::content_of(folder.path() / name);
    fs::remove(folder.path() / name);
    const bool german = std::string_view(name).ends_with("de");
    folder.write(name + std::string(german ? ".gz" : ".zst"),
                 german ? test::gzip(text) : test::zstandard(text));
  }
  options.prepared += "-again";
  CHECK_FALSE(prepare(options).up_to_date);
  for (const auto* name : {"tokenizer.model", "train.bin", "dev.bin", "test.bin"})
    CHECK(test::content_of(plain / name) == test::content_of(fs::path(options.prepared) / name));
  CHECK(prepare(options).up_to_date);
}

TEST_CASE("a dev set without a token is refused") {
  const TemporaryFolder folder;
  auto options = sample_corpus(folder);
  folder.write("dev.de", "\n   \n\n");
  CHECK_THROWS_AS(prepare(options), InputError);
  CHECK_THROWS_WITH(prepare(options),
                    ContainsSubstring("dev.de: expected text, found 3 lines without a token"));
  CHECK_FALSE(fs::exists(options.prepared));
}

TEST_CASE("what is odd about texts is counted") {
  const TemporaryFolder folder;
  auto options = sample_corpus(folder);
  std::string endless;
  for (int i = 0; i < 2000; ++i) endless += "the dog ";
  folder.write("dev.en", "The dog.\r\n" + endless + "\r\n\n");
  const auto report = prepare(options).splits;
  CHECK(report.at("train").windows_line_ends == 0);
  CHECK(report.at("dev").windows_line_ends == 2);
  CHECK(report.at("test").windows_line_ends == 2);
  CHECK(report.at("dev").shortened == 1);
  CHECK(report.at("dev").shortened_lines.names() == "line 2");
  CHECK(report.at("dev").examples.kept == 3);
  const Prepared prepared(options);
  CHECK(std::ssize(prepared.dev.source(1)) == longest_kept(options));
  CHECK(decoded(prepared.target_tokenizer, prepared.dev.target(2)) == "Leer.");
  CHECK(prepare(options).splits.at("dev").shortened == 1);  // from the summary
}

TEST_CASE("damage to a prepared folder is noticed") {
  const TemporaryFolder folder;
  auto options = sample_corpus(folder);
  options.shared_vocabulary = GENERATE(true, false);
  if (!options.shared_vocabulary) options.vocabulary = 80;
  prepare(options);
  const PreparedPaths paths = {options.prepared};
  const bool shared = options.shared_vocabulary;
  for (const auto& file :
       {paths.source_tokenizer(shared), paths.target_tokenizer(shared), paths.summary(), paths.train(),
        paths.dev(), paths.test(), paths.source_text("dev"), paths.target_text("test")}) {
    CAPTURE(file);
    const auto named = ContainsSubstring(file.filename().string());
    const auto whole = test::content_of(file);
    auto damaged = whole;
    damaged.at(damaged.size() / 2) ^= 1;
    std::ofstream(file, std::ios::binary) << damaged;
    CHECK_THROWS_WITH(Prepared(options), named && ContainsSubstring("damaged"));
    CHECK_THROWS_WITH(prepare(options), named && ContainsSubstring("--overwrite"));
    if (file != paths.summary()) {  // without which it is no prepared folder
      fs::remove(file);
      CHECK_THROWS_WITH(Prepared(options), named);
      CHECK_THROWS_WITH(prepare(options), named && ContainsSubstring("--overwrite"));
    }
    std::ofstream(file, std::ios::binary) << whole;
    CHECK(prepare(options).up_to_date);
  }
  std::ofstream(paths.dev(), std::ios::app) << "more";  // whoever wrote that may want to keep it
  CHECK_THROWS_WITH(prepare(options, {.overwrite = true}),
                    ContainsSubstring("dev.bin: expected only") && ContainsSubstring("is not replaced"));
  CHECK_THROWS_AS(Prepared(options), InputError);
}

TEST_CASE("preparing again does nothing unless something changed") {
  const TemporaryFolder folder;
  auto options = sample_corpus(folder);
  const auto first = prepare(options);
  const auto written = fs::last_write_time(folder.path() / "prepared" / "train.bin");

  sample_corpus(folder);  // the same texts, written anew
  const auto again = prepare(options);
  CHECK(again.up_to_date);
  CHECK(again.splits.at("train").source_tokens == first.splits.at("train").source_tokens);
  CHECK(again.splits.at("dev").source_unknown == first.splits.at("dev").source_unknown);
  CHECK(again.target_vocabulary == first.target_vocabulary);
  CHECK(fs::last_write_time(folder.path() / "prepared" / "train.bin") == written);

  SECTION("another option") {
    options.vocabulary = 130;
    CHECK_THROWS_WITH(prepare(options), ContainsSubstring("data.vocabulary is 130, but was 120") &&
                                            ContainsSubstring("--overwrite"));
    CHECK_THROWS_WITH(Prepared(options), ContainsSubstring("data.vocabulary is 130, but was 120"));
    CHECK(Prepared(fs::path(options.prepared)).train.source_vocabulary() == 120);
    CHECK(prepare(options, {.overwrite = true}).source_vocabulary == 130);
    CHECK(Prepared(options).train.source_vocabulary() == 130);
  }
  SECTION("another text") {
    folder.write("dev.de", "Eins.\nZwei.\nDrei.\n");
    CHECK_THROWS_WITH(prepare(options), ContainsSubstring("dev.target"));
    CHECK_FALSE(prepare(options, {.overwrite = true}).up_to_date);
    CHECK(prepare(options).up_to_date);
  }
  SECTION("no test set any more") {
    options.test.clear();
    CHECK_THROWS_AS(prepare(options), InputError);
    prepare(options, {.overwrite = true});
    CHECK_FALSE(Prepared(options).test.has_value());
  }
  SECTION("a file is gone") {
    fs::remove(folder.path() / "prepared" / "dev.bin");
    CHECK_THROWS_WITH(prepare(options),
                      ContainsSubstring("dev.bin: missing") && ContainsSubstring("--overwrite"));
    CHECK_THROWS_AS(Prepared(options), InputError);
    CHECK_FALSE(prepare(options, {.overwrite = true}).up_to_date);
    CHECK_NOTHROW(Prepared(options));
  }
  SECTION("a damaged summary") {
    folder.write("prepared/summary.json", "{\"version\": 1,");
    CHECK_THROWS_WITH(prepare(options), ContainsSubstring("summary.json"));
    CHECK_THROWS_WITH(prepare(options, {.overwrite = true}),
                      ContainsSubstring("summary.json: expected only"));
  }
}

TEST_CASE("what another preparing has put there in the meantime is kept") {
  const TemporaryFolder folder;
  const auto options = sample_corpus(folder);
  auto other = options;
  const auto while_it_works = [&](std::string_view stage) {
    if (stage.starts_with("Encoding train")) prepare(other);
  };
  SECTION("the same") {
    CHECK(prepare(options, {.stage = while_it_works}).up_to_date);
    CHECK(prepare(options).up_to_date);
  }
  SECTION("made otherwise") {
    other.vocabulary = 130;
    CHECK_THROWS_WITH(prepare(options, {.stage = while_it_works}),
                      ContainsSubstring("data.vocabulary is 120, but was 130") &&
                          ContainsSubstring("--overwrite replaces it"));
    CHECK(prepare(other).up_to_date);
    CHECK(prepare(options, {.overwrite = true, .stage = while_it_works}).source_vocabulary == 120);
  }
  SECTION("nothing") {
    fs::create_directory(options.prepared);
    CHECK_FALSE(prepare(options).up_to_date);
  }
  const auto left = [](const auto& entry) { return entry.path().filename().string().starts_with("."); };
  CHECK(std::ranges::none_of(fs::directory_iterator(folder.path()), left));
}

TEST_CASE("words are counted in all of a text, pieces are trained on a sample of a large one") {
  const TemporaryFolder folder;
  auto options = sample_corpus(folder);
  std::vector<std::string> stages;
  const PrepareSettings small{.stage = [&](std::string_view stage) { stages.emplace_back(stage); },
                              .training_bytes = 1000};
  options.vocabulary = 60;
  prepare(options, small);
  CHECK(std::ranges::count_if(stages, [](const auto& stage) { return stage.find(" % of ") != stage.npos; }) ==
        1);
  options.tokenizer_kind = TokenizerKind::words;
  options.vocabulary = 10000;
  options.prepared = (folder.path() / "words").string();
  const auto all = prepare(options).source_vocabulary;
  stages.clear();
  options.prepared = (folder.path() / "words-again").string();
  CHECK(prepare(options, small).source_vocabulary == all);
  CHECK(std::ranges::none_of(stages, [](const auto& stage) { return stage.find(" % of ") != stage.npos; }));
}

TEST_CASE("equal inputs give equal bytes on any number of threads") {
  const TemporaryFolder folder;
  auto options = sample_corpus(folder);
  auto english = test::english_lines();
  auto german = test::german_lines();
  for (int i = 0; i < 40; ++i) {  // several chunks
    folder.write("train.en", test::content_of(folder.path() / "train.en") + test::join_lines(english));
    folder.write("train.de", test::content_of(folder.path() / "train.de") + test::join_lines(german));
  }
  prepare(options, {.threads = 1});
  const auto first = fs::path(options.prepared);
  options.prepared += "-2";
  prepare(options, {.threads = 3});
  for (const auto& entry : fs::directory_iterator(first)) {
    CAPTURE(entry.path());
    CHECK(test::content_of(entry.path()) == test::content_of(options.prepared / entry.path().filename()));
  }
}

TEST_CASE("an existing tokenizer is used as it is") {
  const TemporaryFolder folder;
  auto options = sample_corpus(folder);
  const auto lines = test::english_lines();
  options.tokenizer = (folder.path() / "own.model").string();
  auto own = options;
  own.vocabulary = 90;
  test::train_tokenizer({lines}, own, options.tokenizer);
  CHECK(prepare(options).source_vocabulary == 90);
  CHECK(test::content_of(options.tokenizer) == test::content_of(Prepared(options).source_tokenizer.path()));
  options.shared_vocabulary = false;
  CHECK_THROWS_WITH(prepare(options), ContainsSubstring("data.tokenizer"));
}

TEST_CASE("the vocabulary beside an existing tokenizer counts as much as the tokenizer") {
  const TemporaryFolder folder;
  auto options = sample_corpus(folder);
  options.tokenizer = (folder.path() / "own.model").string();
  test::train_tokenizer({test::english_lines()}, options, options.tokenizer);
  auto pieces = Tokenizer(options.tokenizer).all_pieces();
  const auto number = [&](const fs::path& model) {
    std::ranges::rotate(pieces.begin() + 4, pieces.begin() + 5, pieces.end());
    Vocabulary(pieces, "test").save(vocabulary_file(model));
  };
  number(options.tokenizer);
  prepare(options);
  CHECK(Prepared(options).source_tokenizer.all_pieces() == pieces);

  number(options.tokenizer);
  CHECK_THROWS_WITH(Prepared(options),
                    ContainsSubstring("own.vocabulary.json (data.tokenizer), found those"));
  CHECK_THROWS_WITH(prepare(options), ContainsSubstring("the file for tokenizer.vocabulary changed"));
  fs::remove(vocabulary_file(options.tokenizer));
  CHECK_THROWS_WITH(prepare(options), ContainsSubstring("no vocabulary beside the tokenizer any more"));
  number(options.tokenizer);
  prepare(options, {.overwrite = true});

  const auto own = vocabulary_file(fs::path(options.prepared) / "tokenizer.model");
  number(fs::path(options.prepared) / "tokenizer.model");
  CHECK_THROWS_WITH(Prepared(options), ContainsSubstring("tokenizer.vocabulary.json: damaged"));
  fs::remove(own);
  CHECK_THROWS_WITH(Prepared(options), ContainsSubstring("tokenizer.vocabulary.json"));
}

TEST_CASE("a failure leaves nothing behind and a foreign folder is never replaced") {
  const TemporaryFolder folder;
  auto options = sample_corpus(folder);
  const auto entries = [&] {
    return std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator());
  };
  const auto before = entries();
  const auto refused = [&](const DataOptions& bad, const std::string& words) {
    CHECK_THROWS_WITH(prepare(bad, {.overwrite = true}), ContainsSubstring(words));
    CHECK(entries() == before);
  };
  auto bad = options;
  bad.vocabulary = 100'000;
  refused(bad, "data.vocabulary");
  bad = options;
  bad.max_tokens = 1;
  refused(bad, "data.train");
  bad = options;
  bad.max_ratio = 0.5;
  refused(bad, "data.max_ratio");
  bad = options;
  bad.dev = (folder.path() / "nothing").string();
  refused(bad, "nothing.en");
  bad = options;
  bad.prepared.clear();
  refused(bad, "data.prepared");
  bad = options;
  bad.target = "en";
  refused(bad, "data.target");
  folder.write("dev.en", "One.\n");
  refused(options, "dev.de");

  bad = sample_corpus(folder);
  bad.prepared = folder.path().string();
  refused(bad, "is not replaced");
  CHECK_THROWS_WITH(Prepared(options), ContainsSubstring("run transformer-prepare first"));
}

TEST_CASE("nothing but what was prepared is ever replaced") {
  const TemporaryFolder folder;
  auto options = sample_corpus(folder);
  prepare(options);
  options.vocabulary = 130;  // so that it would be made again
  const fs::path prepared = options.prepared;
  const auto refused = [&](const std::string& words) {
    const auto before = test::content_of(prepared / "train.bin");
    CHECK_THROWS_AS(prepare(options, {.overwrite = true}), InputError);
    CHECK_THROWS_WITH(prepare(options, {.overwrite = true}),
                      ContainsSubstring(words) && ContainsSubstring("is not replaced"));
    CHECK(test::content_of(prepared / "train.bin") == before);
  };
  SECTION("the corpora beside the prepared files") {
    for (const auto* name : {"train.en", "train.de"}) fs::rename(folder.path() / name, prepared / name);
    options.train = prepared / "train";
    refused("train.en in it");
  }
  SECTION("the prepared text read as a corpus") {
    fs::create_symlink(prepared / "dev.source.txt", folder.path() / "link.en");
    fs::copy_file(prepared / "dev.target.txt", folder.path() / "link.de");
    options.dev = folder.path() / "link";
    refused("link.en in it");
  }
  SECTION("its own tokenizer") {
    options.tokenizer = prepared / "tokenizer.model";
    refused("tokenizer.model in it");
  }
  SECTION("notes") {
    folder.write("prepared/notes.txt", "mine");
    refused("notes.txt: expected only");
    CHECK(test::content_of(prepared / "notes.txt") == "mine");
  }
  SECTION("what else the program reads") {
    CHECK_THROWS_WITH(prepare(options, {.overwrite = true, .inputs = {prepared / "summary.json"}}),
                      ContainsSubstring("summary.json in it"));
  }
  SECTION("a link, whose target alone is replaced") {
    fs::rename(prepared, folder.path() / "elsewhere");
    fs::create_directory_symlink("elsewhere", prepared);
    CHECK_FALSE(prepare(options, {.overwrite = true}).up_to_date);
    CHECK(fs::is_symlink(prepared));
    CHECK(Prepared(fs::path(folder.path() / "elsewhere")).train.source_vocabulary() == 130);
  }
}

TEST_CASE("Multi30k is prepared in seconds and its batches have little padding") {
  const fs::path data = fs::path(SHARED_DATA) / "multi30k";
  if (!fs::exists(data / "train.de")) {
    WARN("skipped: Multi30k is not there");
    return;
  }
  const TemporaryFolder folder;
  DataOptions options;
  options.source = "de";
  options.target = "en";
  options.train = (data / "train").string();
  options.dev = (data / "val").string();
  options.test = (data / "test_2016_flickr").string();
  options.vocabulary = 8000;
  options.prepared = (folder.path() / "prepared").string();
  const auto report = prepare(options);
  CHECK(report.splits.at("train").examples.total() == 29000);
  CHECK(report.splits.at("dev").examples.kept == 1014);
  CHECK(report.splits.at("test").examples.kept == 1000);
  const Prepared prepared(options);
  const BatchPlan plan(lengths_of(prepared.train), {4096, 4096, 4096}, 1, 0);
  WARN("padding " << plan.padding_share() << " in " << plan.size() << " updates");
  CHECK(plan.padding_share() < 0.08);
}

TEST_CASE("a table is prepared as the files of its columns are, and so are its first pairs") {
  const TemporaryFolder folder;
  auto options = sample_corpus(folder);
  prepare(options);
  const auto english = test::english_lines(), german = test::german_lines();
  std::string table;
  for (std::size_t i = 0; i < english.size(); ++i) table += english[i] + "\t" + german[i] + "\tmore\n";
  folder.write("train.tsv", table);
  auto of_table = options;
  of_table.train = (folder.path() / "train.tsv").string();
  of_table.prepared = (folder.path() / "of_table").string();
  prepare(of_table);
  for (const auto* file : {"train.bin", "dev.bin", "tokenizer.model"})
    CHECK(test::content_of(folder.path() / "prepared" / file) ==
          test::content_of(folder.path() / "of_table" / file));

  of_table.pairs = 30;
  CHECK_THROWS_WITH(prepare(of_table), ContainsSubstring("data.pairs is 30, but was 0"));
  of_table.vocabulary = 80;
  CHECK(prepare(of_table, {.overwrite = true}).splits.at("train").examples.kept == 30);
  CHECK(prepare(of_table).up_to_date);
}

TEST_CASE("columns are refused where no text is a table") {
  const TemporaryFolder folder;
  auto options = sample_corpus(folder);
  options.columns = {"2", "1"};
  CHECK_THROWS_WITH(prepare(options),
                    "data.columns: expected nothing where no text is a table (X.tsv, or another file with a "
                    "tab in its first line), found '2,1'");
  folder.write("dev.txt", "Eins.\tOne.\n");
  options.dev = (folder.path() / "dev.txt").string();
  CHECK_NOTHROW(prepare(options));
}

TEST_CASE("longer sentences are cut where that is wanted, and counted") {
  const TemporaryFolder folder;
  auto options = sample_corpus(folder);
  options.tokenizer_kind = TokenizerKind::words;
  options.max_tokens = 5;  // of 5 words and more
  const auto dropped = prepare(options).splits.at("train").examples;
  CHECK(dropped.too_long > 0);
  options.longer = Longer::cut;
  CHECK_THROWS_WITH(prepare(options), ContainsSubstring("data.longer is \"cut\", but was \"drop\""));
  const auto cut = prepare(options, {.overwrite = true}).splits.at("train");
  CHECK(cut.examples.kept == 80);
  CHECK(cut.shortened == dropped.too_long);
  const Prepared data((PreparedFolder(options)));
  for (std::int64_t i = 0; i < data.train.size(); ++i) {
    CHECK(data.train.source(i).size() <= 5);
    CHECK(data.train.target(i).size() <= 5);
    const auto whole = data.source_tokenizer.encode(test::english_lines()[static_cast<std::size_t>(i)]);
    CHECK(std::ranges::equal(data.train.source(i),
                             std::span(whole).first(std::min<std::size_t>(5, whole.size()))));
  }
}

TEST_CASE(
    "a folder of another text than lies where the configuration says is refused, of one that is gone not") {
  const TemporaryFolder folder;
  const auto options = sample_corpus(folder);
  prepare(options);
  CHECK_NOTHROW(PreparedFolder(options));
  const auto text = side_path(options.dev, options.target, options);
  std::ofstream(text, std::ios::app) << "One more.\n";
  CHECK_THROWS_WITH(PreparedFolder(options),
                    ContainsSubstring("expected the data of " + text.string() + " (data.dev)"));
  auto other = options;
  other.dev = options.train;
  CHECK_THROWS_WITH(PreparedFolder(other), ContainsSubstring("(data.dev), found those of another file"));
  fs::remove(text);
  CHECK_NOTHROW(PreparedFolder(options));
}

TEST_CASE("folders that were prepared before a key was there are still up to date with its default") {
  const TemporaryFolder folder;
  const auto options = sample_corpus(folder);
  prepare(options);
  auto later = content_options(options);
  for (const auto* key : {"longer", "pairs", "tokenizer_kind", "min_frequency"}) CHECK(later.erase(key) == 1);
  CHECK_FALSE(first_difference(later, content_options(options)));
  auto words = options;
  words.tokenizer_kind = TokenizerKind::words;
  CHECK(first_difference(later, content_options(words)) ==
        "data.tokenizer_kind is \"words\", but was \"bpe\"");
}

TEST_CASE("the vocabulary of the first documents is made of their lines, with all characters") {
  const TemporaryFolder folder;
  std::string text;
  for (const auto& line : test::english_lines()) text += "\n" + line + "\n";
  folder.write("text.txt", text);
  const auto file = (folder.path() / "text.txt").string();
  DataOptions options{.examples = ExampleKind::documents,
                      .train = file,
                      .dev = file,
                      .pairs = 20,
                      .vocabulary = 100,
                      .prepared = (folder.path() / "prepared").string()};
  const auto report = prepare(options, {.quiet = true});
  const auto& train = report.splits.at("train");
  CHECK(train.examples.kept == 20);
  CHECK(train.target_unknown == 0);
  CHECK(train.source_tokens == 0);
  CHECK_FALSE(std::filesystem::exists(PreparedPaths{options.prepared}.target_text("dev")));
  CHECK(prepare(options, {.quiet = true}).up_to_date);
}

}  // namespace
}  // namespace transformer::data
