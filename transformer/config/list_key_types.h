// The types of configuration keys that hold several values. For keys.cpp alone.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "transformer/config/keys.h"
#include "transformer/config/parameter_groups.h"
#include "transformer/config/scalar.h"

namespace transformer::config {

// Fields are those of key_types.h. A list comes as one text (Key::is_list).

/// Paths: the first one in `field`, the others in `more`.
template <typename Field, typename More>
Key paths(const std::string& name, Field field, More more, const std::string& help) {
  return {.name = name,
          .expected = "a path, or a list of paths",
          .help = help,
          .is_list = true,
          .kind = Key::Kind::path,
          .set =
              [=](Experiment& experiment, const Value& value) {
                const auto all = parts_of(value.text, kBetweenPaths);
                if (all.size() > 1 && std::ranges::find(all, "") != all.end()) return false;
                field(experiment) = all.front();
                more(experiment).assign(all.begin() + 1, all.end());
                return true;
              },
          .get =
              [=](const Experiment& experiment) {
                std::vector<std::string> all{print_text(field(experiment))};
                for (const auto& path : more(experiment)) all.push_back(print_text(path));
                return all.size() == 1 ? all.front() : fmt::format("[{}]", fmt::join(all, ", "));
              }};
}

/// Numbers, or none.
template <typename Field>
Key reals(const std::string& name, Field field, Range range, const std::string& help) {
  return {.name = name,
          .expected = "none, or a list of numbers " + range.describe(),
          .help = help,
          .is_list = true,
          .set =
              [=](Experiment& experiment, const Value& value) {
                std::vector<double> numbers;
                const bool none = value.text == "none" || value.text.empty();
                for (const auto& part : none ? std::vector<std::string>() : parts_of(value.text, ',')) {
                  const auto number =
                      parse_real(part.substr(std::min(part.find_first_not_of(' '), part.size())));
                  if (!number || !range.contains(*number)) return false;
                  numbers.push_back(*number);
                }
                field(experiment) = numbers;
                return true;
              },
          .get =
              [=](const Experiment& experiment) {
                std::vector<std::string> all;
                for (const auto number : field(experiment)) all.push_back(print_real(number));
                return all.empty() ? std::string("none") : fmt::format("{}", fmt::join(all, ","));
              }};
}

/// Groups of parameters, by patterns of their names.
template <typename Field>
Key parameter_groups(const std::string& name, Field field, const std::string& help) {
  return {.name = name,
          .expected =
              "none, or patterns of names, each with a rate, a weight_decay or both, as in "
              "[\"*norm* weight_decay=0\", \"*.bias rate=2\"]",
          .help = help,
          .is_list = true,
          .set =
              [=](Experiment& experiment, const Value& value) {
                auto groups = parse_groups(value.text);
                if (groups) field(experiment) = std::move(*groups);
                return groups.has_value();
              },
          .get =
              [=](const Experiment& experiment) {
                const auto& groups = field(experiment);
                return groups.empty() ? print_groups(groups) : print_text(print_groups(groups));
              }};
}

/// Patterns of parameters' names.
template <typename Field>
Key patterns(const std::string& name, Field field, const std::string& help) {
  return {.name = name,
          .expected =
              "none, or patterns of names, as in [\"*attention.query.weight\", \"*attention.value.weight\"]",
          .help = help,
          .is_list = true,
          .set =
              [=](Experiment& experiment, const Value& value) {
                auto found = parse_patterns(value.text);
                if (found) field(experiment) = std::move(*found);
                return found.has_value();
              },
          .get =
              [=](const Experiment& experiment) {
                const auto& all = field(experiment);
                return all.empty() ? print_patterns(all) : print_text(print_patterns(all));
              }};
}

}  // namespace transformer::config
