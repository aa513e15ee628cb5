// Regular expressions for names of tensors, which a stranger may have written.
#pragma once

#include <optional>
#include <regex>
#include <string>

namespace transformer::formats {

/// An ECMAScript expression, which matches whole names. Each match takes time in proportion to the lengths of
/// both, whatever the expression.
class NamePattern {
 public:
  /// place: of the expression, for messages. Throws InputError, beginning with `place`, for a damaged
  /// expression, and for what cannot be matched so fast: a reference back, or a counted repetition such as
  /// a{2}.
  NamePattern(const std::string& expression, const std::string& place);

  bool matches(const std::string& name) const;

  /// The replacement, with $1 for the first group, if the name matches.
  std::optional<std::string> replace(const std::string& name, const std::string& replacement) const;

  const std::string& expression() const { return expression_; }

 private:
  std::string expression_;
  std::regex regex_;
};

/// The longest name that patterns look at, in bytes. Longer ones match nothing.
inline constexpr std::size_t kLongestName = 500;

}  // namespace transformer::formats
