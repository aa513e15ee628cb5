// Which lines a message speaks of.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace transformer {

/// Counts lines and remembers the first of their numbers.
class LineNumbers {
 public:
  void add(std::size_t line) {
    if (++count_ <= kNamed) first_.push_back(line);
  }

  std::size_t count() const { return count_; }

  /// Such as "line 3", or "lines 3, 17, 20, 21, 40 and 7 more".
  std::string names() const {
    std::string text = count_ == 1 ? "line" : "lines";
    for (std::size_t i = 0; i < first_.size(); ++i) text += (i == 0 ? " " : ", ") + std::to_string(first_[i]);
    if (count_ > kNamed) text += " and " + std::to_string(count_ - kNamed) + " more";
    return text;
  }

 private:
  static constexpr std::size_t kNamed = 5;
  std::size_t count_ = 0;
  std::vector<std::size_t> first_;
};

}  // namespace transformer
