// The bytes of a pickle and the stack of values that its instructions work on.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transformer/base/error.h"
#include "transformer/formats/pytorch/pickle_data.h"

namespace transformer::formats {

class PickleStack {
 protected:
  using Kind = PickleValue::Kind;
  using Number = PickleValue::Number;

  PickleStack(std::string_view bytes, const std::string& source, std::vector<PickleValue>& values)
      : bytes_(bytes), source_(source), values_(values) {}

  /// So many take a hundred megabytes; the weights are not among them.
  static constexpr std::size_t kMostValues = 1'000'000;

  [[noreturn]] void refuse(const std::string& problem) const {
    throw InputError(fmt::format("{}: {}", source_, problem));
  }

  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size() - at_) refuse("expected a whole pickle, found one that is cut short");
    const auto taken = bytes_.substr(at_, static_cast<std::size_t>(count));
    at_ += taken.size();
    return taken;
  }
  std::string_view take_line() {
    const auto end = bytes_.find('\n', at_);
    if (end == std::string_view::npos) refuse("expected a whole pickle, found one that is cut short");
    const auto line = take(end - at_);
    take(1);
    return line;
  }
  std::uint64_t integer(std::size_t bytes) {
    std::uint64_t value = 0;
    const auto digits = take(bytes);
    for (std::size_t i = bytes; i > 0; --i) value = (value << 8U) | static_cast<unsigned char>(digits[i - 1]);
    return value;
  }

  void push(PickleValue value) {
    items_ += value.items.size();
    if (values_.size() >= kMostValues || items_ > 2 * kMostValues)
      refuse(fmt::format("expected at most {} values, found more", kMostValues));
    values_.push_back(std::move(value));
    stack_.push_back(static_cast<Number>(values_.size() - 1));
  }
  void push_integer(std::int64_t value) { push({.kind = Kind::integer, .integer = value}); }
  void push_text(std::string_view text) { push({.kind = Kind::text, .text = std::string(text)}); }

  /// Above the last mark, if there is one.
  std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  Number pop() {
    if (stack_.size() <= floor()) refuse("expected a value for each instruction, found none");
    const auto top = stack_.back();
    stack_.pop_back();
    return top;
  }
  PickleValue& top() {
    if (stack_.size() <= floor()) refuse("expected a value for each instruction, found none");
    return values_[stack_.back()];
  }
  std::vector<Number> pop_to_mark() {
    if (marks_.empty()) refuse("expected a mark for each collection, found none");
    const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<Number> above(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    marks_.pop_back();
    return above;
  }
  std::vector<Number> pop_several(std::size_t count) {
    std::vector<Number> several(count);
    for (auto place = several.rbegin(); place != several.rend(); ++place) *place = pop();
    return several;
  }

  void push_of(Kind kind, std::vector<Number> items) { push({.kind = kind, .items = std::move(items)}); }

  std::string_view bytes_;
  const std::string& source_;
  std::vector<PickleValue>& values_;
  std::size_t at_ = 0, items_ = 0;
  std::vector<Number> stack_;
  std::vector<std::size_t> marks_;
};

}  // namespace transformer::formats
