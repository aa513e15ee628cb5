#include "transformer/data/text_parts.h"

#include <sentencepiece_processor.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "tests/catch.h"
#include "tests/data/small_tokenizer.h"
#include "transformer/base/text_file.h"

namespace transformer::data {
namespace {

TEST_CASE("a text is cut at blanks, or between characters where there are none") {
  const std::string word(kEncodedAtOnce, 'x');
  const std::string text = "a b " + word + word + "ä c";
  std::string_view rest = text;
  auto before = Cut::none;
  std::string joined;
  std::vector<Cut> cuts;
  while (!rest.empty()) {
    const auto part = take_part(rest, before);
    CHECK(part.text.size() <= kEncodedAtOnce);
    if (part.before == Cut::blank) joined += ' ';
    joined += part.text;
    CHECK(before == part.after);
    cuts.push_back(part.after);
  }
  CHECK(joined == text);
  CHECK(cuts == std::vector<Cut>{Cut::blank, Cut::word, Cut::word, Cut::none});
}

/// One that was trained on the sample text, with this normalisation besides.
Tokenizer with(const std::string& model, bool blank_in_front, bool few_blanks) {
  auto content = with_added_blank(model, blank_in_front);
  if (!few_blanks) content += std::string("\x1A\x02\x20\x00", 4);  // remove_extra_whitespaces: false
  return Tokenizer::of_content(content, "model");
}

TEST_CASE("a long text keeps its blanks, whatever the model adds to a text") {
  const test::TemporaryFolder folder;
  test::train(folder, test::small());
  const auto model = read_file(folder.path() / "tokenizer.model");
  const bool blank_in_front = GENERATE(false, true), few_blanks = GENERATE(false, true);
  const auto tokenizer = with(model, blank_in_front, few_blanks);
  std::string text, word;
  while (text.size() < 3 * kEncodedAtOnce)
    for (const auto& line : test::german_lines()) text += (text.empty() ? "" : " ") + line;
  CHECK(tokenizer.decode(tokenizer.encode(text)) == text);
  std::vector<std::int32_t> expected;  // each word alone, with a blank in front
  const auto spaced = with(model, true, true);
  const auto first = text.find(' ');
  expected = tokenizer.encode(text.substr(0, first));
  for (const auto id : spaced.encode(text.substr(first + 1))) expected.push_back(id);
  CHECK(tokenizer.encode(text) == expected);
  while (word.size() < 3 * kEncodedAtOnce) word += "Frau";
  if (!blank_in_front) CHECK(tokenizer.decode(tokenizer.encode(word)) == word);
}

TEST_CASE("a cut in a word changes the pieces beside it and no others") {
  const test::TemporaryFolder folder;
  const auto tokenizer = test::train(folder, test::small(200));
  sentencepiece::SentencePieceProcessor whole;
  REQUIRE(whole.Load((folder.path() / "tokenizer.model").string()).ok());
  std::string text;
  while (text.size() < 7 * kEncodedAtOnce / 2)  // a rest behind the last cut, too
    for (const auto& line : test::german_lines())
      std::ranges::copy_if(line, std::back_inserter(text), [](char c) { return c != ' '; });
  const auto found = tokenizer.encode(text);
  std::vector<int> expected;
  REQUIRE(whole.Encode(text, &expected).ok());
  const auto cuts = static_cast<std::ptrdiff_t>((text.size() - 1) / kEncodedAtOnce);
  // Both texts are walked through; where they part, they come together again within some pieces.
  constexpr std::ptrdiff_t kBeside = 12;
  std::ptrdiff_t differences = 0;
  auto own = found.begin();
  auto other = expected.begin();
  while (own != found.end() && other != expected.end()) {
    if (*own == *other) {
      ++own, ++other;
      continue;
    }
    ++differences;
    const auto again = [&] {
      for (std::ptrdiff_t i = 0; i < kBeside; ++i)
        for (std::ptrdiff_t j = 0; j < kBeside; ++j)
          if (std::equal(own + i, own + i + kBeside, other + j)) return std::pair(i, j);
      return std::pair(kBeside, kBeside);
    }();
    REQUIRE(again.first < kBeside);
    own += again.first;
    other += again.second;
  }
  CHECK((own == found.end() && other == expected.end()));
  CHECK(differences > 0);
  CHECK(differences <= cuts);
}

TEST_CASE("blanks at the front of a long text are no part of it where a model drops them") {
  const test::TemporaryFolder folder;
  test::train(folder, test::small());
  const auto tokenizer = with(read_file(folder.path() / "tokenizer.model"), false, true);
  CHECK(tokenizer.encode(std::string(40'000, ' ') + "Die Frau") == tokenizer.encode("Die Frau"));
}

}  // namespace
}  // namespace transformer::data
