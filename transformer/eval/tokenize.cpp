#include "transformer/eval/tokenize.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "transformer/base/ascii.h"
#include "transformer/base/error.h"
#include "transformer/eval/moses.h"
#include "transformer/eval/spacing.h"
#include "transformer/eval/text.h"

namespace transformer::eval {
namespace {

/// In linear time: a line may be as long as its file.
void replace_all(std::string& text, std::string_view from, std::string_view to) {
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, done)) {
    out.append(text, done, at - done).append(to);
    done = at + from.size();
  }
  if (done > 0) text = out.append(text, done);
}

bool is_stop(char c) {
  return c == '.' || c == ',';
}

/// ASCII punctuation that always stands alone: all of it but ' , - and the full stop.
bool always_splits(char c) {
  return (c >= '!' && c <= '&') || (c >= '(' && c <= '+') || c == '/' || (c >= ':' && c <= '@') ||
         (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

std::vector<std::string> own(const std::vector<std::string_view>& words) {
  return {words.begin(), words.end()};
}

}  // namespace

Tokenization tokenization_from_name(std::string_view name) {
  if (const auto tokenization = value_named<Tokenization>(name)) return *tokenization;
  throw InputError(
      fmt::format("tokenization: expected {}, found '{}'", fmt::join(all_names<Tokenization>(), ", "), name));
}

std::optional<Language> language_of(Tokenization tokenization) {
  switch (tokenization) {
    case Tokenization::v13a:
    case Tokenization::none:
    case Tokenization::character:
    case Tokenization::international:
      return std::nullopt;
    case Tokenization::paper:
    case Tokenization::moses_german:
      return Language{"de", "German"};
    case Tokenization::moses_english:
      return Language{"en", "English"};
    case Tokenization::moses_french:
      return Language{"fr", "French"};
  }
  no_such_choice();
}

std::vector<std::string> tokenize_13a(std::string_view line) {
  std::string text(trim_right(line));
  replace_all(text, "<skipped>", "");
  replace_all(text, "-\n", "");
  replace_all(text, "\n", " ");
  // One after the other, so that "&amp;lt;" ends as "<".
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
  // The spaces at both ends let the rules for two neighbours see the first and the last character. All that
  // the rules name is ASCII, so working on bytes gives what working on code points would.
  text = ' ' + text + ' ';
  text = space_singles(text, always_splits);
  text = space_pairs(text, Surround::second, [](char a, char b) { return !is_digit(a) && is_stop(b); });
  text = space_pairs(text, Surround::first, [](char a, char b) { return is_stop(a) && !is_digit(b); });
  text = space_pairs(text, Surround::second, [](char a, char b) { return is_digit(a) && b == '-'; });
  return own(split_words(text));
}

std::vector<std::string> tokenize_international(std::string_view line) {
  using C = char32_t;
  std::u32string text = decode(trim_right(line));
  text = space_pairs(text, Surround::second, [](C a, C b) { return is_punctuation(b) && !is_number(a); });
  text = space_pairs(text, Surround::first, [](C a, C b) { return is_punctuation(a) && !is_number(b); });
  text = space_singles(text, is_symbol);
  return own(split_words(encode(text)));
}

std::vector<std::string> tokenize_characters(std::string_view line) {
  std::string spaced;
  for (const char32_t c : decode(line)) {
    append_utf8(spaced, c);
    spaced += ' ';
  }
  return own(split_words(spaced));
}

std::vector<std::string> tokenize_none(std::string_view line) {
  return own(split_words(line));
}

std::vector<std::string> tokenize(std::string_view line, Tokenization tokenization) {
  switch (tokenization) {
    case Tokenization::v13a:
      return tokenize_13a(line);
    case Tokenization::none:
      return tokenize_none(line);
    case Tokenization::character:
      return tokenize_characters(line);
    case Tokenization::international:
      return tokenize_international(line);
    case Tokenization::paper:
      return split_compounds(tokenize_moses(line, MosesLanguage::german));
    case Tokenization::moses_german:
      return tokenize_moses(line, MosesLanguage::german);
    case Tokenization::moses_english:
      return tokenize_moses(line, MosesLanguage::english);
    case Tokenization::moses_french:
      return tokenize_moses(line, MosesLanguage::french);
  }
  no_such_choice();
}

}  // namespace transformer::eval
