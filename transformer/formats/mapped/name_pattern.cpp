#include "transformer/formats/mapped/name_pattern.h"

#include <fmt/format.h>

#include "transformer/base/error.h"

namespace transformer::formats {
namespace {

constexpr std::size_t kLongestExpression = 500;

/// The time of the usual way to match can double with each character. This one's cannot.
constexpr auto kSyntax = std::regex::ECMAScript
#ifdef __GLIBCXX__
                         | std::regex_constants::__polynomial
#endif
    ;

/// Whether it has a brace that is no character by itself: a{1000}{1000} would take all memory.
bool has_counts(const std::string& expression) {
  bool inside = false;  // of [ ]
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    if (c == '\\')
      ++i;
    else if (c == '[' || c == ']')
      inside = c == '[';
    else if (c == '{' && !inside)
      return true;
  }
  return false;
}

std::regex compile(const std::string& expression, const std::string& place) {
  const auto refuse = [&](const std::string& problem) {
    throw InputError(fmt::format("{}: expected a regular expression, found '{}': {}", place,
                                 expression.substr(0, 100), problem));
  };
  if (expression.size() > kLongestExpression) refuse(fmt::format("longer than {} bytes", kLongestExpression));
  if (has_counts(expression)) refuse("repetitions with a count such as {2} are not allowed");
  try {
    return std::regex(expression, kSyntax);
  } catch (const std::regex_error& error) {
    refuse(error.code() == std::regex_constants::error_complexity
               ? "references back such as \\1 are not allowed"
               : error.what());
  }
  return {};
}

}  // namespace

NamePattern::NamePattern(const std::string& expression, const std::string& place)
    : expression_(expression), regex_(compile(expression, place)) {}

bool NamePattern::matches(const std::string& name) const {
  return name.size() <= kLongestName && std::regex_match(name, regex_);
}

std::optional<std::string> NamePattern::replace(const std::string& name,
                                                const std::string& replacement) const {
  std::smatch match;
  if (name.size() > kLongestName || !std::regex_match(name, match, regex_)) return std::nullopt;
  return match.format(replacement);
}

}  // namespace transformer::formats
