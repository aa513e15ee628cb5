#include "transformer/data/masked_texts.h"

#include <numeric>
#include <utility>

#include "tests/catch.h"
#include "tests/data/masked_texts_python.h"
#include "tests/data/small_tokenizer.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/blocks.h"
#include "transformer/data/character_vocabulary.h"
#include "transformer/data/dataset_writer.h"
#include "transformer/data/tokenizer.h"
#include "transformer/data/word_begins.h"
#include "transformer/data/word_vocabulary.h"

using namespace transformer;
using data::MaskedToken;

namespace {

constexpr std::int32_t kMask = 5;

std::vector<std::int64_t> text_of(std::int64_t tokens) {
  std::vector<std::int64_t> text(static_cast<std::size_t>(tokens) + 2);
  std::iota(text.begin(), text.end(), 9);
  text.front() = kBos;
  text.back() = kEos;
  return text;
}

data::Dataset three_documents(const test::TemporaryFolder& folder) {
  const auto file = folder.path() / "text.bin";
  data::DatasetWriter writer(file, 60);
  for (const int tokens : {20, 1, 9}) {
    std::vector<std::int32_t> ids(static_cast<std::size_t>(tokens));
    std::iota(ids.begin(), ids.end(), 10);
    writer.add(ids);
  }
  writer.commit();
  return data::Dataset(file);
}

}  // namespace

TEST_CASE("a second implementation masks the same tokens") {
  const data::Masking masking{.share = 0.5, .mask = kMask, .vocabulary = 90};
  CHECK(masking.draw(text_of(50), 7) == test::masked_by_python[0]);
  CHECK(masking.draw(text_of(50), 8) == test::masked_by_python[1]);
}

TEST_CASE("the share of masked tokens is exact, and of them 80 % are masks, 10 % any tokens, 10 % stay") {
  const data::Masking masking{.mask = kMask, .vocabulary = 300};
  for (const auto& [tokens, expected] : {std::pair{1, 1}, {3, 1}, {10, 2}, {100, 15}, {0, 0}})
    CHECK(std::ssize(masking.draw(text_of(tokens), 3)) == expected);
  const auto text = text_of(200);
  std::vector<int> by_place(text.size());
  double masks = 0, stay = 0, all = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    for (const auto& [place, hidden, shown] : masking.draw(text, seed)) {
      CHECK(text[static_cast<std::size_t>(place)] == hidden);
      CHECK((hidden > kEos && shown > kEos && shown < 300));
      ++by_place[static_cast<std::size_t>(place)];
      ++all;
      masks += shown == kMask ? 1 : 0;
      stay += shown == hidden ? 1 : 0;
    }
  }
  CHECK(masks / all == Approx(0.8).margin(0.005));
  CHECK(stay / all == Approx(0.1 + 0.1 / 295).margin(0.004));
  CHECK((by_place.front() == 0 && by_place.back() == 0));
  for (std::size_t i = 1; i + 1 < by_place.size(); ++i)
    CHECK(by_place[i] / 2000. == Approx(0.15).margin(0.04));
}

TEST_CASE("whole words are masked, as many as fit") {
  // Words of three tokens; those that begin one are divisible by 3.
  data::Masking masking{.share = 0.3, .mask = kMask, .vocabulary = 300};
  for (int id = 0; id < 300; ++id) masking.begins.push_back(id % 3 == 0);
  const auto text = text_of(29);  // 10 … 38: a beginning of two, and nine words
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto masked = masking.draw(text, seed);
    CHECK((std::ssize(masked) == 9 || std::ssize(masked) == 8));  // of at most 9
    std::vector<int> of_word(20);
    for (const auto& token : masked) ++of_word[static_cast<std::size_t>(token.hidden / 3)];
    for (std::size_t word = 0; word < of_word.size(); ++word)
      CHECK((of_word[word] == 0 || of_word[word] == (word == 3 ? 2 : 3)));
  }
  // A word that is longer than the share is masked all the same, where no other fits.
  masking.share = 0.05;
  CHECK(masking.draw(text_of(29), 1).size() <= 3);
  CHECK_FALSE(masking.draw(text_of(29), 1).empty());
}

TEST_CASE("a batch has the texts with masks, and the places and tokens that are asked for") {
  const test::TemporaryFolder folder;
  const auto data = three_documents(folder);
  const data::Masking masking{.mask = kMask, .vocabulary = 60};
  const data::MaskedTexts texts(data::examples_of(data, 0), masking, 11);
  CHECK(texts.size() == 3);
  CHECK((texts.length(0).source == 22 && texts.length(0).target == 3));
  CHECK((texts.length(1).source == 3 && texts.length(1).target == 1));
  const std::int64_t order[] = {2, 0};
  const auto batch = texts.make_batch(order);
  CHECK(batch.source_offsets == std::vector<std::int64_t>{0, 11, 33});
  CHECK(batch.target_offsets == std::vector<std::int64_t>{0, 1, 4});
  CHECK((batch.source_tokens == 33 && batch.target_tokens == 4 && batch.source_length == 22));
  REQUIRE(batch.target_input.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto place = batch.target_input[i], begin = batch.source_offsets[i == 0 ? 0 : 1];
    CHECK(batch.target_output[i] == 9 + place - begin);
  }
  std::size_t changed = 0;
  for (std::size_t i = 0; i < 33; ++i) {
    const auto place = static_cast<std::int64_t>(i < 11 ? i : i - 11);
    const auto plain = place == 0 ? kBos : place == (i < 11 ? 10 : 21) ? kEos : 9 + place;
    changed += batch.source[i] == plain ? 0 : 1;
  }
  CHECK((changed > 0 && changed <= 4));
  // An example is masked alike in any batch; another epoch masks otherwise.
  const std::int64_t alone[] = {0};
  const auto again = texts.make_batch(alone);
  CHECK(std::vector(batch.source.begin() + 11, batch.source.end()) == again.source);
  const data::MaskedTexts other(data::examples_of(data, 0), masking, 12);
  CHECK(other.make_batch(alone).target_input != again.target_input);
}

TEST_CASE("blocks of a stream are read behind a begin token, and their ends are not masked") {
  const test::TemporaryFolder folder;
  const auto data = three_documents(folder);
  const data::MaskedTexts texts(data::examples_of(data, 11), {.share = 1, .mask = kMask, .vocabulary = 60},
                                1);
  CHECK(texts.size() == 3);  // 33 tokens with their ends
  CHECK((texts.length(1).source == 12 && texts.length(1).target == 10));
  const std::int64_t second[] = {1};
  const auto batch = texts.make_batch(second);
  CHECK(batch.source.front() == kBos);
  CHECK(batch.source[10] == kEos);  // behind 21 … 29
  CHECK(batch.target_output == std::vector<std::int64_t>{21, 22, 23, 24, 25, 26, 27, 28, 29, 10});
}

TEST_CASE("a vocabulary of any kind has the mask where it is asked for, and no text has it") {
  const test::TemporaryFolder folder;
  const auto model = folder.path() / "tokenizer.model";
  const auto lines = test::english_lines();
  for (const auto kind : all_values<data::TokenizerKind>()) {
    INFO(name_of(kind));
    auto options = test::small(kind == data::TokenizerKind::bytes ? 260 : 120);
    options.tokenizer_kind = kind;
    const auto made = [&] {
      std::size_t next = 0;
      const auto line = [&](std::string& text) {
        if (next == lines.size()) return false;
        text = lines[next++];
        return true;
      };
      switch (kind) {
        case data::TokenizerKind::bpe:
          data::train_tokenizer_on(line, options, model);
          break;
        case data::TokenizerKind::words:
          data::count_words_of(line, options, model);
          break;
        case data::TokenizerKind::characters:
          data::count_characters_of(line, options, model);
          break;
        case data::TokenizerKind::bytes:
          data::make_bytes(line, options, model);
          break;
      }
      return data::Tokenizer(model);
    };
    const auto plain = made();
    CHECK_THROWS_WITH(plain.mask(), ContainsSubstring("expected a piece <mask> (data.masks: true"));
    options.masks = true;
    const auto with = made();
    CHECK(with.mask() == kEos + 1);
    CHECK(with.size() == plain.size() + (kind == data::TokenizerKind::bytes ||
                                                 (kind != data::TokenizerKind::bpe && plain.size() < 120)
                                             ? 1
                                             : 0));
    for (const auto id : with.encode("a <mask> of it")) CHECK(id != with.mask());
    CHECK(with.decode(with.encode(lines.front())) == plain.decode(plain.encode(lines.front())));
  }
}

TEST_CASE("words begin with a blank") {
  const test::TemporaryFolder folder;
  const auto tokenizer = test::train(folder, test::small());
  const auto begins = data::word_begins(tokenizer);
  std::size_t words = 0;
  for (const auto id : tokenizer.encode("The man is in the house."))
    words += begins[static_cast<std::size_t>(id)] ? 1 : 0;
  CHECK(words == 6);
  CHECK_FALSE(begins[kUnknown]);
  const auto model = folder.path() / "words.model";
  bool done = false;
  const auto line = [&](std::string& text) {
    text = "a b";
    return !std::exchange(done, true);
  };
  data::count_words_of(line, test::small(), model);
  CHECK(data::word_begins(data::Tokenizer(model)) ==
        std::vector<bool>{true, false, false, false, true, true});
}
