#include "transformer/data/answers.h"

#include "tests/catch.h"
#include "tests/data/write_dataset.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/base/text_file.h"
#include "transformer/data/labelled_texts.h"
#include "transformer/data/masked_texts.h"
#include "transformer/data/prepare.h"
#include "transformer/data/prepared.h"
#include "transformer/data/word_begins.h"

using namespace transformer;
using namespace transformer::data;

TEST_CASE("an answer is the words that its first occurrence in the last part touches") {
  const char* text = "Who sat on the mat?</s>The black cat sat on the mat, and the dog slept.";
  const auto range = [&](const char* answer) { return find_answer(text, answer); };
  CHECK(range("The black cat") == WordRange{5, 7});
  CHECK(range(" cat ") == WordRange{7, 7});
  CHECK(range("the mat") == WordRange{10, 11});  // the question's does not count
  CHECK(range("mat") == WordRange{11, 11});      // the comma is no blank
  CHECK(range("slept.") == WordRange{15, 15});
  CHECK(range("lack ca") == WordRange{6, 7});
  CHECK(range("dog</s>cat") == WordRange{14, 14});
  CHECK(find_answer("a b  c", "b  c") == WordRange{1, 2});
  CHECK(words_between(text, {10, 11}) == "the mat,");
  CHECK(words_between("a b  c ", {1, 2}) == "b  c");
  CHECK(words_before_last_part(text) == 5);
  CHECK(words_before_last_part("a b") == 0);
  CHECK_THROWS_WITH(range("Who"), "expected an answer that the last part of its text has, found 'Who'");
  CHECK_THROWS_WITH(range(" "), "expected an answer that the last part of its text has, found none");
}

TEST_CASE("words have their tokens, and ends of parts belong to none") {
  std::vector<bool> begins(20, false);
  begins[10] = begins[12] = true;
  const std::vector<std::int32_t> ids{10, 11, 12, kEos, 10, 11, 11, 12};
  const auto words = tokens_of_words(ids, begins);
  REQUIRE(words.size() == 4);
  const std::int64_t expected[][2] = {{0, 1}, {2, 2}, {4, 6}, {7, 7}};
  for (std::size_t i = 0; i < 4; ++i)
    CHECK((words[i].first == expected[i][0] && words[i].last == expected[i][1]));
}

TEST_CASE("answers are prepared as words, and are the places of their tokens in a batch") {
  const test::TemporaryFolder folder;
  DataOptions options;
  options.examples = ExampleKind::answers;
  options.tokenizer_kind = TokenizerKind::words;
  options.train = folder.write("train.tsv", "who</s>a cat sat\ta cat\nwhere</s>on a mat\tmat\n").string();
  options.dev = folder.write("dev.tsv", "who</s>the cat sat\tcat\n").string();
  options.prepared = (folder.path() / "prepared").string();
  prepare(options, {.quiet = true});
  const Prepared prepared(options);
  CHECK(prepared.target_tokenizer.size() == kEos + 1 + 1024);
  CHECK(read_file(prepared.paths.target_text("dev")) == "cat\n");
  std::vector<double> numbers;
  for (auto id = kEos + 1; id < prepared.target_tokenizer.size(); ++id)
    numbers.push_back(std::stod(prepared.target_tokenizer.bytes_of(id)));
  const LabelledTexts texts(prepared.train, word_begins(prepared.source_tokenizer), numbers);
  CHECK((texts.length(0).source == 7 && texts.length(0).target == 2));
  const std::int64_t order[] = {1, 0};
  const auto batch = texts.make_batch(order);
  // <s> where </s> on a mat </s>, <s> who </s> a cat sat </s>
  CHECK(batch.target_output == std::vector<std::int64_t>{5, 5, 10, 11});
  CHECK(batch.target_input == batch.target_output);
  CHECK(batch.target_offsets == std::vector<std::int64_t>{0, 2, 4});

  options.dev = folder.write("none.tsv", "who</s>the cat sat\tdog\n").string();
  CHECK_THROWS_WITH(prepare(options, {.overwrite = true, .quiet = true}),
                    Catch::Matchers::EndsWith(
                        "none.tsv:1: expected an answer that the last part of its text has, found 'dog'"));
}
