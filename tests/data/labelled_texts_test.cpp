#include "transformer/data/labelled_texts.h"

#include "tests/catch.h"
#include "tests/data/write_dataset.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/prepare.h"
#include "transformer/data/prepared.h"
#include "transformer/data/word_begins.h"

using namespace transformer;
using Ids = std::vector<std::int64_t>;

namespace {

data::Dataset two_texts(const test::TemporaryFolder& folder,
                        const std::vector<std::vector<std::int32_t>>& labels) {
  data::Sentences texts, targets;
  texts.add(std::vector<std::int32_t>{10, 11, 12, 20});
  texts.add(std::vector<std::int32_t>{21, 13});
  for (const auto& ids : labels) targets.add(ids);
  test::write_dataset(folder.path() / "data.bin", texts, targets, 30, 9);
  return data::Dataset(folder.path() / "data.bin");
}

data::DataOptions small_words(const test::TemporaryFolder& folder, const std::string& ending) {
  data::DataOptions options;
  options.examples = data::ExampleKind::labelled;
  options.tokenizer_kind = data::TokenizerKind::words;
  options.train = (folder.path() / ("train" + ending)).string();
  options.dev = (folder.path() / ("dev" + ending)).string();
  options.prepared = (folder.path() / "prepared").string();
  return options;
}

std::string label_at(const data::Prepared& prepared, const data::Dataset& data, std::int64_t i) {
  std::string all;
  for (const auto id : data.target(i)) all += prepared.target_tokenizer.bytes_of(id);
  return all;
}

}  // namespace

TEST_CASE("a text's label is predicted at its first token") {
  const test::TemporaryFolder folder;
  const auto data = two_texts(folder, {{5}, {4}});
  const data::LabelledTexts texts(data);
  CHECK((texts.length(0).source == 6 && texts.length(0).target == 1));
  const std::int64_t order[] = {1, 0};
  const auto batch = texts.make_batch(order);
  CHECK(batch.source == Ids{kBos, 21, 13, kEos, kBos, 10, 11, 12, 20, kEos});
  CHECK(batch.source_offsets == Ids{0, 4, 10});
  CHECK(batch.target_input == Ids{0, 4});
  CHECK(batch.target_output == Ids{0, 1});
  CHECK(batch.target_offsets == Ids{0, 1, 2});
}

TEST_CASE("a word's label is predicted at its first piece") {
  const test::TemporaryFolder folder;
  const auto data = two_texts(folder, {{5, 6}, {4, 8}});
  std::vector<bool> begins(30);
  begins[10] = begins[13] = begins[20] = true;  // 21 begins its text
  const data::LabelledTexts texts(data, begins);
  const std::int64_t order[] = {0, 1};
  const auto batch = texts.make_batch(order);
  CHECK(batch.target_input == Ids{1, 4, 7, 8});
  CHECK(batch.target_output == Ids{1, 2, 0, 4});
  CHECK(batch.target_offsets == Ids{0, 2, 4});
  // A limit has cut off a label.
  const test::TemporaryFolder other;
  const auto cut = two_texts(other, {{5}, {4, 8}});
  CHECK(data::LabelledTexts(cut, begins).length(0).target == 1);
}

TEST_CASE("labels are prepared from tables with names, and known by a vocabulary of their own") {
  const test::TemporaryFolder folder;
  folder.write("train.tsv",
               "id\tsentence\tlabel\n1\tGood book\tB-pos\n2\tbad book\tneg\n3\tgood end\tB-pos\n");
  folder.write("dev.tsv", "id\tsentence\tlabel\n1\tbad end\tother\n");
  auto options = small_words(folder, ".tsv");
  options.columns = {"sentence", "label"};
  options.normalization = data::NormalizationRule::nmt_nfkc_cf;  // of the texts alone
  const auto report = data::prepare(options, {.quiet = true});
  CHECK(report.target_vocabulary == kEos + 1 + 3);
  const data::Prepared prepared(options);
  CHECK_FALSE(prepared.shared_vocabulary);
  CHECK(label_at(prepared, prepared.train, 0) == " B-pos");
  CHECK(label_at(prepared, prepared.train, 1) == " neg");
  CHECK(label_at(prepared, prepared.dev, 0) == " other");
  CHECK(prepared.source_tokenizer.decode(prepared.train.source(0)) == "good book");
  options.examples = data::ExampleKind::pairs;
  CHECK_THROWS_AS(data::PreparedFolder(options), InputError);
}

TEST_CASE("labels are prepared from lines of JSON: texts, numbers and lists") {
  const test::TemporaryFolder folder;
  folder.write("train.jsonl", R"({"text": "good\tbook", "label": ["B", "O"]})"
                              "\n"
                              R"({"label": 0.5, "text": "bad book", "more": {}})"
                              "\n");
  folder.write("dev.jsonl", "{\"text\": \"a\", \"label\": \"B\"}\n");
  auto options = small_words(folder, ".jsonl");
  data::prepare(options, {.quiet = true});
  const data::Prepared prepared(options);
  CHECK(label_at(prepared, prepared.train, 0) == " B O");
  CHECK(label_at(prepared, prepared.train, 1) == " 0.5");
  CHECK(prepared.train.source(0).size() == 2);
  const auto refused = [&](const std::string& line, const std::string& text) {
    INFO(line);
    folder.write("dev.jsonl", line + "\n");
    CHECK_THROWS_WITH(data::prepare(options, {.overwrite = true, .quiet = true}), ContainsSubstring(text));
  };
  refused("[1]", "dev.jsonl:1: expected an object of JSON with the key text");
  refused("{\"text\": \"a\"", "found something else");
  refused("{\"text\": \"a\"}",
          "with the key label (data.columns), a text, a number or a list of texts, found none");
  refused("{\"text\": null, \"label\": 1}", "found null");
  refused("{\"text\": \"a\", \"label\": [[1]]}", "found array");
}

TEST_CASE("a tokenizer of masked tokens serves labelled texts") {
  const test::TemporaryFolder folder;
  folder.write("text.txt", "good book\nbad book\n");
  auto masks = small_words(folder, ".txt");
  masks.examples = data::ExampleKind::documents;
  masks.train = masks.dev = (folder.path() / "text.txt").string();
  masks.prepared = (folder.path() / "masks").string();
  masks.masks = true;
  data::prepare(masks, {.quiet = true});
  folder.write("train.tsv", "good book\tpos\nbad book\tneg\n");
  folder.write("dev.tsv", "book\tneg\n");
  auto options = small_words(folder, ".tsv");
  options.tokenizer_kind = data::TokenizerKind::bpe;
  options.tokenizer = (folder.path() / "masks" / "tokenizer.model").string();
  data::prepare(options, {.quiet = true});
  const data::Prepared prepared(options);
  CHECK(prepared.source_tokenizer.all_pieces() == data::Tokenizer(options.tokenizer).all_pieces());
  CHECK(prepared.target_tokenizer.size() == kEos + 1 + 2);
}

TEST_CASE("the parts of a labelled text end in the end token, and words go on behind it") {
  const test::TemporaryFolder folder;
  folder.write("train.tsv", "good book</s>bad end </s> book\tpos\nbad book\tneg\n");
  folder.write("dev.tsv", "book</s>\tneg\n");
  const auto options = small_words(folder, ".tsv");
  data::prepare(options, {.quiet = true});
  const data::Prepared prepared(options);
  const auto& tokenizer = prepared.source_tokenizer;
  const auto id = [&](const std::string& word) { return tokenizer.encode(word).front(); };
  const auto ids = prepared.train.source(0);
  CHECK(std::vector(ids.begin(), ids.end()) ==
        std::vector<std::int32_t>{id("good"), id("book"), kEos, id("bad"), id("end"), kEos, id("book")});
  CHECK(data::first_pieces(ids, data::word_begins(tokenizer)) == Ids{0, 1, 3, 4, 6});
  const auto dev = prepared.dev.source(0);
  CHECK(std::vector(dev.begin(), dev.end()) == std::vector<std::int32_t>{id("book"), kEos});
}
