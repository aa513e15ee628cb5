#include "transformer/variants/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "transformer/base/error.h"

namespace transformer::variants {
namespace {

struct Entry {
  Declaration declaration;
  CountParameters count;
};

using Key = std::pair<Kind, std::string>;

std::map<Key, Entry>& registry() {
  static std::map<Key, Entry> all;
  return all;
}

const Entry* find(const Choice& choice, Kind kind) {
  const auto found = registry().find({kind, choice.name});
  return found == registry().end() ? nullptr : &found->second;
}

template <typename Number>
std::optional<Value> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool in_range(const Option& option, double number) {
  return std::isfinite(number) && number >= option.least && number <= option.most;
}

/// Asks which type an option has.
template <typename Type>
bool holds(const Option& option) {
  return std::holds_alternative<Type>(option.standard);
}

std::optional<Value> parse_value(const Option& option, const std::string& text) {
  if (holds<bool>(option)) {
    if (text != "true" && text != "false") return std::nullopt;
    return text == "true";
  }
  if (holds<std::string>(option)) {
    const bool allowed =
        option.choices.empty() || std::ranges::find(option.choices, text) != option.choices.end();
    return allowed ? std::optional<Value>(text) : std::nullopt;
  }
  const bool whole = holds<std::int64_t>(option);
  auto value = whole ? parse_number<std::int64_t>(text) : parse_number<double>(text);
  if (!value) return std::nullopt;
  const double number =
      whole ? static_cast<double>(std::get<std::int64_t>(*value)) : std::get<double>(*value);
  return in_range(option, number) ? value : std::nullopt;
}

std::string expected(const Option& option) {
  if (holds<bool>(option)) return "true or false";
  if (holds<std::string>(option))
    return option.choices.empty() ? "a word" : fmt::format("one of {}", fmt::join(option.choices, ", "));
  std::string text = holds<std::int64_t>(option) ? "a whole number" : "a number";
  if (std::isfinite(option.least)) text += fmt::format(" from {}", option.least);
  if (std::isfinite(option.most)) text += fmt::format(" to {}", option.most);
  return text;
}

std::string print_value(const Value& value) {
  return std::visit([](const auto& held) { return fmt::format("{}", held); }, value);
}

std::optional<std::string> find_problem(const Declaration& declaration, const Choice& choice) {
  const auto& options = declaration.options;
  for (const auto& [name, text] : choice.options) {
    const auto option = std::ranges::find(options, name, &Option::name);
    if (option == options.end()) {
      std::vector<std::string> names;
      for (const auto& known : options) names.push_back(known.name);
      return fmt::format("expected {} of {}, found '{}'",
                         names.empty() ? "no option" : fmt::format("the option {}", fmt::join(names, " or ")),
                         choice.name, name);
    }
    if (!parse_value(*option, text))
      return fmt::format("expected {} for {} of {}, found '{}'", expected(*option), name, choice.name, text);
  }
  return std::nullopt;
}

std::map<std::string, Value> fill_in(const Declaration& declaration, const Choice& choice) {
  std::map<std::string, Value> values;
  for (const auto& option : declaration.options) {
    const auto given = choice.options.find(option.name);
    values.emplace(option.name,
                   given == choice.options.end() ? option.standard : *parse_value(option, given->second));
  }
  return values;
}

const Entry& require(const Choice& choice, Kind kind) {
  const auto* entry = find(choice, kind);
  if (entry == nullptr)
    throw InputError(
        fmt::format("{}: expected a variant that this program knows, found '{}': --load names the shared "
                    "library that has it",
                    key_of(kind), print(choice)));
  if (const auto problem = find_problem(entry->declaration, choice))
    throw InputError(fmt::format("{}: {}", key_of(kind), *problem));
  return *entry;
}

}  // namespace

void add(Kind kind, Declaration declaration, CountParameters count) {
  const auto refuse = [&](const std::string& message) {
    throw InputError(fmt::format("{}: {}", key_of(kind), message));
  };
  if (!is_name(declaration.name) || !parse(declaration.name) || !*parse(declaration.name))
    refuse(fmt::format("expected a variant's name of small letters, digits, - and _, found '{}'",
                       declaration.name));
  std::vector<std::string> names;
  for (const auto& option : declaration.options) {
    if (!is_name(option.name) || std::ranges::find(names, option.name) != names.end())
      refuse(
          fmt::format("{}: expected options with names of their own, of small letters, digits, - and _, "
                      "found '{}'",
                      declaration.name, option.name));
    names.push_back(option.name);
    const auto standard = print_value(option.standard);
    if (!parse_value(option, standard) ||
        !parse(fmt::format("{} {}={}", declaration.name, option.name, standard)))
      refuse(fmt::format("{}: expected {} as the default of {}, found '{}'", declaration.name,
                         expected(option), option.name, standard));
  }
  names.clear();
  for (const auto& kept : declaration.kept) {
    if (!is_name(kept) || std::ranges::find(names, kept) != names.end())
      refuse(
          fmt::format("{}: expected names of their own for what is kept, of small letters, digits, - and _, "
                      "found '{}'",
                      declaration.name, kept));
    names.push_back(kept);
  }
  const auto name = declaration.name;
  if (!registry().emplace(Key{kind, name}, Entry{std::move(declaration), std::move(count)}).second)
    refuse(fmt::format("expected a variant of another name, found a second '{}'", name));
}

bool is_known(const Choice& choice, Kind kind) {
  return find(choice, kind) != nullptr;
}

std::optional<std::string> find_problem(const Choice& choice, Kind kind) {
  const auto* entry = find(choice, kind);
  return entry == nullptr ? std::nullopt : find_problem(entry->declaration, choice);
}

Choice complete(const Choice& choice, Kind kind) {
  const auto* entry = find(choice, kind);
  if (entry == nullptr || find_problem(entry->declaration, choice)) return choice;
  Choice whole{choice.name, {}};
  for (const auto& [name, value] : fill_in(entry->declaration, choice))
    whole.options.emplace(name, print_value(value));
  return whole;
}

Values values_of(const Choice& choice, Kind kind) {
  return Values(fill_in(require(choice, kind).declaration, choice));
}

std::optional<std::vector<std::string>> keys_of(const Choice& choice, Kind kind) {
  const auto* entry = find(choice, kind);
  return entry == nullptr ? std::nullopt : std::optional(entry->declaration.keys);
}

std::string about(const Choice& choice, Kind kind) {
  const auto* entry = find(choice, kind);
  return entry == nullptr ? "" : entry->declaration.about;
}

std::string describe_known() {
  std::string text;
  for (const auto& [key, entry] : registry()) {
    text += fmt::format("{}: {}    {}\n", key_of(key.first), key.second, entry.declaration.about);
    for (const auto& option : entry.declaration.options)
      text += fmt::format("{:<26}   {}={}  {} ({})\n", "", option.name, print_value(option.standard),
                          option.help, expected(option));
  }
  return text;
}

std::int64_t count_parameters(const Part& part, Kind kind) {
  return require(part.choice, kind).count(part.place, values_of(part.choice, kind));
}

std::vector<std::string> kept_by(const Choice& optimizer) {
  return require(optimizer, Kind::optimizer).declaration.kept;
}

bool depends_on_steps(const Choice& schedule) {
  const auto* entry = find(schedule, Kind::schedule);
  return entry == nullptr || entry->declaration.depends_on_steps;
}

std::optional<Flops> flops(const Part& part, Kind kind) {
  const auto& declared = require(part.choice, kind).declaration.flops;
  if (!declared) return std::nullopt;
  return declared(part.place, values_of(part.choice, kind));
}

}  // namespace transformer::variants
