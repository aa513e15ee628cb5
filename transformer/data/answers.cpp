#include "transformer/data/answers.h"

#include <fmt/format.h>

#include <algorithm>

#include "transformer/base/error.h"
#include "transformer/base/printable.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/labelled_texts.h"
#include "transformer/data/word_begins.h"

namespace transformer::data {
namespace {

constexpr std::string_view kBlanks = " \t\r";

/// Calls use(begin, end) for each word.
template <typename Use>
void for_each_word(std::string_view text, const Use& use) {
  for (auto begin = text.find_first_not_of(kBlanks); begin != std::string_view::npos;) {
    const auto end = std::min(text.find_first_of(kBlanks, begin), text.size());
    use(begin, end);
    begin = text.find_first_not_of(kBlanks, end);
  }
}

std::int64_t count_words(std::string_view text) {
  std::int64_t count = 0;
  for_each_word(text, [&](auto, auto) { ++count; });
  return count;
}

/// The last part, and how many words are in front of it.
std::pair<std::string_view, std::int64_t> last_part(std::string_view text) {
  std::int64_t before = 0, words = 0;
  std::string_view last;
  for_each_part(text, [&](std::string_view part) {
    before += words;
    words = count_words(part);
    last = part;
  });
  return {last, before};
}

std::string_view trimmed(std::string_view text) {
  const auto begin = std::min(text.find_first_not_of(kBlanks), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

}  // namespace

WordRange find_answer(std::string_view text, std::string_view answer) {
  const auto [part, before] = last_part(text);
  answer = trimmed(answer.substr(0, answer.find(kPartMark)));
  const auto at = answer.empty() ? std::string_view::npos : part.find(answer);
  if (at == std::string_view::npos)
    throw InputError(fmt::format("expected an answer that the last part of its text has, found {}",
                                 answer.empty() ? "none" : "'" + printable(answer.substr(0, 100)) + "'"));
  WordRange range{before, before};
  auto number = before;
  for_each_word(part, [&](std::size_t begin, std::size_t end) {
    if (end <= at) range.first = number + 1;
    if (begin < at + answer.size()) range.last = number;
    ++number;
  });
  return range;
}

std::string words_between(std::string_view text, const WordRange& range) {
  const auto [part, before] = last_part(text);
  std::size_t begin = 0, end = 0;
  auto number = before;
  for_each_word(part, [&](std::size_t word_begin, std::size_t word_end) {
    if (number == range.first) begin = word_begin;
    if (number <= range.last) end = word_end;
    ++number;
  });
  return std::string(part.substr(begin, std::max(begin, end) - begin));
}

std::int64_t words_before_last_part(std::string_view text) {
  return last_part(text).second;
}

std::string as_labels(const WordRange& range) {
  return fmt::format("{} {}", range.first, range.last);
}

std::int64_t most_words(const DataOptions& options) {
  return std::max(options.max_tokens, kLongestSource);  // each has a token at least
}

std::vector<NumberedTokens> tokens_by_word(std::string_view text, const Tokenizer& tokenizer) {
  std::vector<NumberedTokens> words;
  std::int64_t number = 0, place = 0;
  for_each_part(text, [&](std::string_view part) {
    for_each_word(part, [&](std::size_t begin, std::size_t end) {
      const auto count = std::ssize(tokenizer.encode(part.substr(begin, end - begin)));
      if (count > 0) words.push_back({number, {place, place + count - 1}});
      place += count;
      ++number;
    });
    ++place;  // the end of the part
  });
  return words;
}

std::vector<WordTokens> tokens_of_words(std::span<const std::int32_t> ids, const std::vector<bool>& begins) {
  std::vector<WordTokens> words;
  for (const auto first : first_pieces(ids, begins)) {
    if (ids[static_cast<std::size_t>(first)] == kEos) continue;
    words.push_back({first, first});
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    auto end = i + 1 < words.size() ? words[i + 1].first : std::ssize(ids);
    while (end - 1 > words[i].first && ids[static_cast<std::size_t>(end - 1)] == kEos) --end;
    words[i].last = end - 1;
  }
  return words;
}

}  // namespace transformer::data
