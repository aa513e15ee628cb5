// The fake device's graphs: while one is recorded, what the device is asked for is computed, since shapes
// follow from it, and kept. Then all memory becomes what it was before. So code that needs a number in
// between, or that gives a graph what only one update has, finds other numbers.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

namespace transformer::test::fake_device {

using Work = std::vector<std::function<void()>>;

/// Of any thread, since backward passes have threads of their own.
bool capturing();
void begin_capture();
Work end_capture();

/// Keeps work that has been done, if a graph is being recorded.
void record(std::function<void()> again);

/// As CUDA does while a graph is recorded: throws.
void refuse_in_capture(const std::string& what);

/// Does it again, uncounted.
void replay(const Work& work);

/// Writes an operation's results to where those of the recorded one are. The same memory is left as it is.
void copy_results(const at::Tensor& from, const at::Tensor& to);
template <typename... Tensors>
void copy_results(const std::tuple<Tensors...>& from, const std::tuple<Tensors...>& to) {
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    const auto each = [](const auto& a, const auto& b) {
      if constexpr (std::is_same_v<std::decay_t<decltype(a)>, at::Tensor>) copy_results(a, b);
    };
    (each(std::get<i>(from), std::get<i>(to)), ...);
  }
  (std::index_sequence_for<Tensors...>{});
}

/// The same memory, without what autograd keeps alive with a tensor.
template <typename T>
T detached(T value) {
  if constexpr (std::is_same_v<T, at::Tensor>) {
    return value.defined() ? value.detach() : value;
  } else if constexpr (std::is_same_v<T, std::optional<at::Tensor>>) {
    if (value) *value = detached(*value);
  }
  return value;
}
template <typename... T>
std::tuple<T...> detached(const std::tuple<T...>& values) {
  return std::apply([](const auto&... each) { return std::tuple<T...>(detached(each)...); }, values);
}

/// An operation that records itself, with the signature of the function.
template <auto function>
struct Recorded;
template <typename Result, typename... Given, Result (*function)(Given...)>
struct Recorded<function> {
  static Result call(Given... given) {
    Result result = function(given...);
    if (capturing()) {
      const std::tuple<std::decay_t<Given>...> kept(detached(std::decay_t<Given>(given))...);
      record([kept, result = detached(std::decay_t<Result>(result))] {
        std::apply([&](const auto&... again) { copy_results(function(as<Given>(again)...), result); }, kept);
      });
    }
    return result;
  }

 private:
  template <typename T, typename U>
  static T as(const U& value) {
    return static_cast<T>(const_cast<U&>(value));  // a tensor that is written to refers to its memory
  }
};

}  // namespace transformer::test::fake_device
