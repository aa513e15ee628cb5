// The types of configuration keys. For keys.cpp and model_keys.cpp alone.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <type_traits>
#include <utility>

#include "transformer/base/choices.h"
#include "transformer/config/keys.h"
#include "transformer/config/scalar.h"
#include "transformer/variants/registry.h"

namespace transformer::config {

// Each function makes a key from its name, its field and a line of help. A field is a function that finds its
// place in an experiment, constant or not. `sentence`: see departing().

inline const Range kFromOne{.min = 1};
inline const Range kFromZero{.min = 0};
inline const Range kShare{.min = 0, .max = 1, .below_max = true};
inline const Range kEpsilon{.min = 1e-37};  // not zero in fp32

/// Those of the section `model`.
std::vector<Key> model_keys();

/// The same key with a sentence for the departures from the paper, where its value is not the default; {} in
/// it stands for the value. Without one: as it is.
inline Key departing(Key key, const std::string& sentence) {
  if (sentence.empty()) return key;
  key.departure = [get = key.get, sentence](const Experiment& experiment) {
    const auto value = get(experiment);
    return value == get({}) ? std::string() : fmt::format(fmt::runtime(sentence), value);
  };
  return key;
}

/// Stores what `parse` makes of an unquoted text, if `accepts` it.
template <typename Field, typename Parse, typename Accepts>
auto setter(Field field, Parse parse, Accepts accepts) {
  return [=](Experiment& experiment, const Value& value) {
    const auto parsed = value.quoted ? std::nullopt : parse(value.text);
    if (!parsed || !accepts(*parsed)) return false;
    field(experiment) = *parsed;
    return true;
  };
}

template <typename Field>
Key integer(const std::string& name, Field field, Range range, const std::string& help,
            const std::string& sentence = "") {
  const auto accepts = [range](std::int64_t value) { return range.contains_integer(value); };
  return departing({.name = name,
                    .expected = "a whole number " + range.describe(),
                    .help = help,
                    .set = setter(field, parse_integer, accepts),
                    .get = [=](const Experiment& e) { return fmt::format("{}", field(e)); }},
                   sentence);
}

/// A whole number, or nothing, which is written as `auto`.
template <typename Field>
Key integer_or_auto(const std::string& name, Field field, Range range, const std::string& help) {
  const auto accepts = [range](std::int64_t value) { return range.contains_integer(value); };
  const auto set_number = setter(field, parse_integer, accepts);
  return {.name = name,
          .expected = "a whole number " + range.describe() + ", or auto",
          .help = help,
          .set =
              [=](Experiment& experiment, const Value& value) {
                if (value.text != "auto") return set_number(experiment, value);
                field(experiment).reset();
                return true;
              },
          .get =
              [=](const Experiment& experiment) {
                const auto& number = field(experiment);
                return number ? fmt::format("{}", *number) : std::string("auto");
              }};
}

template <typename Field>
Key real(const std::string& name, Field field, Range range, const std::string& help,
         const std::string& sentence = "") {
  const auto accepts = [range](double value) { return range.contains(value); };
  return departing({.name = name,
                    .expected = "a number " + range.describe(),
                    .help = help,
                    .set = setter(field, parse_real, accepts),
                    .get = [=](const Experiment& e) { return print_real(field(e)); }},
                   sentence);
}

template <typename Field>
Key boolean(const std::string& name, Field field, const std::string& help, const std::string& sentence = "") {
  return departing({.name = name,
                    .expected = "true or false",
                    .help = help,
                    .choices = {"true", "false"},
                    .set = setter(field, parse_boolean, [](bool) { return true; }),
                    .get = [=](const Experiment& e) { return field(e) ? "true" : "false"; }},
                   sentence);
}

/// One of the values of an enumeration, by its name. Its departure is that of its row (nn/types.h).
template <typename Field, typename Choice = std::remove_cvref_t<std::invoke_result_t<Field, Experiment&>>>
Key choice(const std::string& name, Field field, const std::string& help) {
  const auto names = all_names<Choice>();
  return {.name = name,
          .expected = fmt::format("one of {}", fmt::join(names, ", ")),
          .help = help,
          .choices = names,
          .set =
              [=](Experiment& experiment, const Value& value) {
                const auto choice = value_named<Choice>(value.text);
                if (choice) field(experiment) = *choice;
                return choice.has_value();
              },
          .get = [=](const Experiment& experiment) { return name_of(field(experiment)); },
          .departure = [=](const Experiment& experiment) -> std::string {
            if constexpr (requires(Choice value) { about(value).departure; }) {
              if (const auto* sentence = about(field(experiment)).departure) return sentence;
            }
            return "";
          }};
}

/// A name that only those who use it can judge: letters, digits and + - _.
template <typename Field>
Key word(const std::string& name, Field field, const std::string& expected, const std::string& help) {
  return {.name = name,
          .expected = expected,
          .help = help,
          .set =
              [=](Experiment& experiment, const Value& value) {
                const auto fits = [](unsigned char c) {
                  return std::isalnum(c) != 0 || c == '+' || c == '-' || c == '_';
                };
                if (value.text.empty() || !std::ranges::all_of(value.text, fits)) return false;
                field(experiment) = value.text;
                return true;
              },
          .get = [=](const Experiment& experiment) { return field(experiment); }};
}

template <typename Field>
Key path(const std::string& name, Field field, const std::string& help) {
  return {.name = name,
          .expected = "a path",
          .help = help,
          .kind = Key::Kind::path,
          .set =
              [=](Experiment& experiment, const Value& value) {
                field(experiment) = value.text;
                return true;
              },
          .get = [=](const Experiment& experiment) { return print_text(field(experiment)); }};
}

/// A variant with its options, all of them where the program knows it. What is wrong with these, find_problem
/// says (validate.h).
template <typename Field>
Key variant(variants::Kind kind, Field field, const std::string& help) {
  return {.name = variants::key_of(kind),
          .expected = "none, or the name of a variant and its options, such as: mine size=8 fast=true",
          .help = help,
          .set =
              [=](Experiment& experiment, const Value& value) {
                const auto choice = variants::parse(value.text);
                if (!choice) return false;
                field(experiment) = variants::complete(*choice, kind);
                return true;
              },
          .get = [=](const Experiment& experiment) { return variants::print(field(experiment)); }};
}

/// Two columns of a table, by number or by name.
template <typename Field>
Key columns(const std::string& name, Field field, const std::string& help) {
  return {.name = name,
          .expected = "two different columns, by number from 1 or by name, as in [2, 1] or [de, en]",
          .help = help,
          .is_list = true,
          .set =
              [=](Experiment& experiment, const Value& value) {
                const auto found = parse_columns(value.text);
                if (found) field(experiment) = *found;
                return found.has_value();
              },
          .get =
              [=](const Experiment& experiment) {
                const auto& columns = field(experiment);
                return print_text(columns.source + "," + columns.target);
              }};
}

/// The ending of a file name.
template <typename Field>
Key ending(const std::string& name, Field field, const std::string& help) {
  Key key = path(name, field, help);
  key.kind = Key::Kind::plain;
  key.expected = "the ending of a file name, such as de";
  key.set = [=](Experiment& experiment, const Value& value) {
    if (value.text.empty() || value.text.find('/') != std::string::npos) return false;
    field(experiment) = value.text;
    return true;
  };
  return key;
}

}  // namespace transformer::config
