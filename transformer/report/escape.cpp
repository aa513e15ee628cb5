#include "transformer/report/escape.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <system_error>

#include "transformer/base/text_file.h"

namespace transformer::report {
namespace {

constexpr std::string_view replacement = "\uFFFD";

void append_clean(std::string& result, std::string_view valid) {
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const auto byte = static_cast<unsigned char>(valid[i]);
    const auto rest = valid.substr(i);
    if (byte == '\r') {
      if (!rest.starts_with("\r\n")) result += '\n';
    } else if ((byte < 0x20 && byte != '\t' && byte != '\n') || byte == 0x7f) {
      result += replacement;
    } else if (byte == 0xc2 && static_cast<unsigned char>(rest[1]) < 0xa0) {  // U+0080 to U+009F
      result += replacement;
      ++i;
    } else if (rest.starts_with("\uFFFE") || rest.starts_with("\uFFFF")) {  // XML has no such characters
      result += replacement;
      i += 2;
    } else {
      result += valid[i];
    }
  }
}

/// An underscore between letters formats nothing, and d_k is easier to read without a backslash.
bool inside_word(std::string_view text, std::size_t i) {
  const auto is_word = [&](std::size_t k) {
    const auto byte = static_cast<unsigned char>(text[k]);
    return byte >= 0x80 || std::isalnum(byte) != 0;
  };
  return i > 0 && i + 1 < text.size() && is_word(i - 1) && is_word(i + 1);
}

bool is_plain_number(std::string_view text) {
  if (text.empty() || (text.front() != '.' && std::isdigit(static_cast<unsigned char>(text.front())) == 0))
    return false;  // "inf" and "nan" are names to a spreadsheet
  double ignored = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ignored);
  return error == std::errc() && end == text.data() + text.size();
}

/// Whether a spreadsheet would compute a field instead of showing it.
bool is_formula(std::string_view text) {
  if (text.starts_with('=') || text.starts_with('@')) return true;
  return (text.starts_with('+') || text.starts_with('-')) && !is_plain_number(text.substr(1));
}

/// Whether "#", "+", "-" or "=" before place `i` begins a heading, a list or a rule; it does not in "+0.3".
bool ends_marker(std::string_view text, std::size_t i) {
  return i == text.size() || text[i] == ' ' || text[i] == text[i - 1];
}

}  // namespace

std::string clean(std::string_view text) {
  std::string result;
  while (const auto bad = first_invalid_utf8(text)) {
    append_clean(result, text.substr(0, *bad));
    result += replacement;
    text.remove_prefix(*bad + 1);
  }
  append_clean(result, text);
  return result;
}

std::string escape_markup(std::string_view text) {
  std::string result;
  for (const char c : clean(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string escape_markdown(std::string_view text) {
  constexpr std::string_view anywhere = "\\|`*[]~$";
  constexpr std::string_view at_the_start = "#+-=";
  std::string line = clean(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  std::string result;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else {
      const bool starts_block = result.find_first_not_of(' ') == std::string::npos &&
                                at_the_start.find(c) != std::string_view::npos && ends_marker(line, i + 1);
      const bool formats =
          anywhere.find(c) != std::string_view::npos || (c == '_' && !inside_word(line, i)) || starts_block;
      if (formats) result += '\\';
      result += c;
    }
  }
  return result;
}

std::string quote_csv(std::string_view text) {
  std::string field = std::string(is_formula(text) ? "'" : "") + std::string(text);
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string result = "\"";
  for (const char c : field) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

}  // namespace transformer::report
