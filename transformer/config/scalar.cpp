#include "transformer/config/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

namespace transformer::config {
namespace {

constexpr std::int64_t kExact = std::int64_t{1} << 53;  // beyond it a double skips integers

/// Elsewhere an octal number may begin so.
bool has_leading_zero(std::string_view text) {
  const auto digits = text.substr(text.starts_with('-') ? 1 : 0);
  return digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9';
}

template <typename Number>
std::optional<Number> parse_whole_text(std::string_view text) {
  if (has_leading_zero(text)) return std::nullopt;
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

bool Range::contains(double value) const {
  return (above_min ? value > min : value >= min) && (below_max ? value < max : value <= max);
}

bool Range::contains_integer(std::int64_t value) const {
  return value >= -kExact && value <= kExact && contains(static_cast<double>(value));
}

std::string Range::describe() const {
  return fmt::format("{} {} {} {}", above_min ? "above" : "from", min, below_max ? "and below" : "to", max);
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  if (const auto integer = parse_whole_text<std::int64_t>(text)) return integer;
  const auto real = parse_real(text);
  if (!real || std::floor(*real) != *real || std::abs(*real) > static_cast<double>(kExact))
    return std::nullopt;
  return static_cast<std::int64_t>(*real);
}

std::optional<double> parse_real(std::string_view text) {
  const auto value = parse_whole_text<double>(text);
  if (!value || !std::isfinite(*value)) return std::nullopt;
  return *value + 0.0;  // which makes 0 of -0
}

std::optional<bool> parse_boolean(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

std::optional<data::Columns> parse_columns(std::string_view text) {
  constexpr std::int64_t kMost = 10'000;
  const auto comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const auto trimmed = [](std::string_view part) {
    const auto first = std::min(part.find_first_not_of(' '), part.size());
    return std::string(part.substr(first, part.find_last_not_of(' ') + 1 - first));
  };
  const data::Columns columns{trimmed(text.substr(0, comma)), trimmed(text.substr(comma + 1))};
  const bool numbers = data::is_column_number(columns.source);
  const auto fits = [&](const std::string& column) {
    if (numbers != data::is_column_number(column)) return false;
    const auto number = parse_integer(column);
    return numbers ? number && *number >= 1 && *number <= kMost
                   : column.find_first_of(",\t\r\n") == std::string::npos;
  };
  const bool fit = fits(columns.source) && fits(columns.target) && columns.source != columns.target;
  return fit ? std::optional(columns) : std::nullopt;
}

std::string print_real(double value) {
  auto text = fmt::format("{}", value);
  const auto exponent = text.find('e');
  if (exponent != std::string::npos && text.find('.') == std::string::npos)
    text.insert(exponent, ".0");  // YAML 1.1 takes 1e-05 for a string
  return text;
}

std::string print_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string absolute_path(const std::filesystem::path& folder, const std::string& value) {
  if (value.empty()) return value;
  std::string path = std::filesystem::absolute(folder / value).lexically_normal().string();
  if (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

std::string one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(
      line, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return line;
}

std::string quote(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  if (text.size() <= kLongest) return fmt::format("'{}'", one_line(text));
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) --end;  // no half character
  return fmt::format("'{}…'", one_line(text.substr(0, end)));
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // d[i][j]: between the first i characters of a and the first j of b.
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({replaced, d[i - 1][j] + 1, d[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

std::vector<std::string> parts_of(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace transformer::config
