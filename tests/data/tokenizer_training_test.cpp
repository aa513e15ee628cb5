#include "transformer/data/tokenizer_training.h"

#include "tests/catch.h"
#include "tests/data/sample_text.h"
#include "tests/data/small_tokenizer.h"
#include "tests/data/train_tokenizer.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/data/tokenizer.h"

namespace transformer::data {
namespace {

using test::has_unknown;
using test::small;
using test::TemporaryFolder;
using test::train;

TEST_CASE("equal texts give equal models") {
  const TemporaryFolder folder;
  const auto lines = test::german_lines();
  test::train_tokenizer({lines}, small(), folder.path() / "a");
  test::train_tokenizer({lines}, small(), folder.path() / "b");
  CHECK(test::content_of(folder.path() / "a") == test::content_of(folder.path() / "b"));
}

/// The number behind "at most" or "at least" in the message of an impossible vocabulary.
std::int64_t limit_of(const std::string& words, std::int64_t vocabulary) {
  const TemporaryFolder folder;
  try {
    train(folder, small(vocabulary));
  } catch (const InputError& error) {
    const std::string message = error.what();
    REQUIRE_THAT(message, ContainsSubstring("data.vocabulary") && ContainsSubstring(words));
    return std::stoll(message.substr(message.find(words) + words.size()));
  }
  FAIL("no error for a vocabulary of " << vocabulary);
  return 0;
}

TEST_CASE("an impossible vocabulary is refused with the limit that works") {
  const TemporaryFolder folder;
  const auto most = limit_of("at most ", 30000);
  CHECK(train(folder, small(most)).size() == most);
  CHECK_THROWS_AS(train(folder, small(most + 1)), InputError);
  const auto least = limit_of("at least ", 10);
  CHECK(train(folder, small(least)).size() == least);
  CHECK_THROWS_AS(train(folder, small(least - 1)), InputError);
}

TEST_CASE("texts without words are refused, overlong lines counted") {
  const TemporaryFolder folder;
  const std::vector<std::string> empty = {"", "  "};
  CHECK_THROWS_AS(test::train_tokenizer({empty}, small(), folder.path() / "m"), InputError);
  CHECK_THROWS_AS(test::train_tokenizer({}, small(), folder.path() / "m"), InputError);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "m"));

  auto lines = test::german_lines();
  lines.insert(lines.begin(), std::string(100'000, 'x'));
  lines.push_back(std::string(kLongestTrainingLine, 'y'));
  lines.push_back(std::string(kLongestTrainingLine + 1, 'z'));
  CHECK(test::train_tokenizer({lines}, small(), folder.path() / "m") == 2);
  const Tokenizer tokenizer(folder.path() / "m");
  CHECK(has_unknown(tokenizer.encode("x")));
  CHECK_FALSE(has_unknown(tokenizer.encode("y")));
}

TEST_CASE("why no line can shape a vocabulary is said as it is") {
  const TemporaryFolder folder;
  const std::vector<std::string> empty = {"", "  "},
                                 long_ones = {std::string(kLongestTrainingLine + 1, 'x'), "", "y"},
                                 removed = {"\u200B\u200B"};
  const auto train_on = [&](std::span<const std::string> lines) {
    test::train_tokenizer({lines}, small(), folder.path() / "m");
  };
  CHECK_THROWS_WITH(train_on(empty), ContainsSubstring("found only empty lines"));
  CHECK_THROWS_WITH(train_on(std::span(long_ones).first(2)),
                    ContainsSubstring("expected lines of at most 8192 bytes") &&
                        ContainsSubstring("found 1 longer ones and none of text besides"));
  CHECK_THROWS_AS(train_on(removed), InputError);
  CHECK_THROWS_WITH(train_on(removed), ContainsSubstring("data.train: expected text"));
}

TEST_CASE("a word that grows in normalization does not end the process") {
  const TemporaryFolder folder;
  std::string grows;  // U+FDFA becomes 18 characters
  while (grows.size() + 3 <= kLongestTrainingLine) grows += "\uFDFA";
  auto lines = test::german_lines();
  lines.push_back(grows);
  CHECK_NOTHROW(test::train_tokenizer({lines}, small(), folder.path() / "m"));
}

}  // namespace
}  // namespace transformer::data
