// Enumerations whose values a configuration names. Each has a `constexpr const char* name_of(E)` beside it,
// with a switch over all values and no default. So a value without a name does not compile, and nobody keeps
// a list of values.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace transformer {

/// Behind a switch over all values: reached by none of them.
[[noreturn]] inline void no_such_choice() {
  throw std::logic_error("a choice that its type does not list");
}

/// Whether name_of() lists the value: if not, its call throws, which is no constant.
template <typename E, int kValue>
concept HasName = requires {
  typename std::bool_constant<(name_of(static_cast<E>(kValue)), true)>;
};

/// All values, in their order. They count from 0.
template <typename E, int kCount = 0>
constexpr auto all_values() {
  if constexpr (HasName<E, kCount>) {
    return all_values<E, kCount + 1>();
  } else {
    static_assert(kCount > 0, "name_of() lists no value");
    std::array<E, kCount> all{};
    for (int i = 0; i < kCount; ++i) all[static_cast<std::size_t>(i)] = static_cast<E>(i);
    return all;
  }
}

/// Their names, in their order.
template <typename E>
std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const auto value : all_values<E>()) names.emplace_back(name_of(value));
  return names;
}

/// The names of the values that have a property, for a message: "cosine or linear".
template <typename E>
std::string names_where(bool (*holds)(E), std::string_view conjunction = "or") {
  std::vector<std::string> names;
  for (const auto value : all_values<E>())
    if (holds(value)) names.emplace_back(name_of(value));
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text.append(i + 1 < names.size() ? ", " : " " + std::string(conjunction) + " ");
    text += names[i];
  }
  return text;
}

/// The value of that name; nothing where none has it.
template <typename E>
std::optional<E> value_named(std::string_view name) {
  for (const auto value : all_values<E>())
    if (name == name_of(value)) return value;
  return std::nullopt;
}

}  // namespace transformer
