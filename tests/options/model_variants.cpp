#include "tests/options/model_variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "tests/options/outside_variants.h"
#include "transformer/config/keys.h"
#include "transformer/config/validate.h"

namespace transformer::test {
namespace {

/// A key and its values; the first is the tiny model's.
struct Axis {
  const config::Key* key;
  std::vector<std::string> values;
  bool outside = false;  ///< the values are none and a variant from outside
};

/// Of numbers the tiny model's value and another. Head sizes are no multiples of a vector's width, and heads
/// times their size is not d_model. A number that is not here has its default and another that its key takes.
const std::map<std::string, std::vector<std::string>> kNumbers{{"model.encoder_layers", {"2", "1"}},
                                                               {"model.decoder_layers", {"2", "3"}},
                                                               {"model.d_model", {"32", "70"}},
                                                               {"model.d_ff", {"48", "130"}},
                                                               {"model.heads", {"2", "3"}},
                                                               {"model.d_k", {"16", "6"}},
                                                               {"model.d_v", {"16", "24"}},
                                                               {"model.dropout", {"0.1", "0"}},
                                                               {"model.kv_heads", {"0", "1"}},
                                                               {"model.relative_distance", {"16", "3"}},
                                                               {"model.norm_epsilon", {"1e-05", "0.01"}},
                                                               {"model.rotary_base", {"10000", "500"}},
                                                               {"model.max_positions", {"40", "30"}}};

std::vector<std::string> numbers_of(const config::Key& key) {
  if (const auto found = kNumbers.find(key.name); found != kNumbers.end()) return found->second;
  const config::Experiment defaults;
  for (const auto* other : {"2", "1", "0.1"}) {
    auto changed = defaults;
    if (key.set(changed, {.text = other}) && key.get(changed) != key.get(defaults) &&
        !config::find_problem(changed))
      return {key.get(defaults), other};
  }
  throw std::logic_error(key.name + ": two values to be listed here");
}

std::vector<Axis> axes() {
  add_outside_variants();
  const config::Experiment defaults;
  std::vector<Axis> all;
  for (const auto& key : config::keys()) {
    if (!key.name.starts_with("model.") || key.kind != config::Key::Kind::plain) continue;
    if (is_of_kinds(key)) continue;
    if (const auto outside = outside_values().find(key.name); outside != outside_values().end()) {
      all.push_back({&key, outside->second, true});
      continue;
    }
    auto values = key.choices;
    if (values.empty()) {
      values = numbers_of(key);
    } else {
      const auto usual = std::ranges::find(values, key.get(defaults));
      std::rotate(values.begin(), usual, usual + 1);
    }
    all.push_back({&key, values});
  }
  return all;
}

/// Indices of values, one for each axis.
using Choice = std::vector<std::size_t>;

struct Described {
  std::string name;
  config::Experiment experiment;
};

Described describe(const std::vector<Axis>& axes, const Choice& choice) {
  Described result;
  auto& experiment = result.experiment;
  experiment.data.max_tokens = 20;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto& value = axes[i].values.at(choice[i]);
    if (!axes[i].key->set(experiment, {.text = value}))
      throw std::logic_error(fmt::format("{} refuses {}", axes[i].key->name, value));
    if (choice[i] != 0) result.name += fmt::format("{} {}, ", axes[i].key->name, value);
  }
  if (result.name.empty()) result.name = "the tiny model";
  return result;
}

ModelVariant variant(const std::vector<Axis>& axes, const Choice& choice) {
  const auto [name, experiment] = describe(axes, choice);
  if (const auto problem = config::find_problem(experiment))
    throw std::logic_error(fmt::format("{}{}: {}", name, problem->keys.front(), problem->message));
  return {name, experiment.model};
}

/// Two values of two axes, the lower axis first.
struct Meeting {
  std::size_t axis, value, other_axis, other_value;

  auto operator<=>(const Meeting&) const = default;
};

Meeting meeting(std::size_t a, std::size_t value_a, std::size_t b, std::size_t value_b) {
  return a < b ? Meeting{a, value_a, b, value_b} : Meeting{b, value_b, a, value_a};
}

/// The meetings that a configuration refuses: of one another's values the axes have no use.
std::set<Meeting> refused_meetings(const std::vector<Axis>& all) {
  std::set<Meeting> refused;
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = a + 1; b < all.size(); ++b)
      for (std::size_t i = 1; i < all[a].values.size(); ++i)
        for (std::size_t j = 1; j < all[b].values.size(); ++j) {
          Choice choice(all.size(), 0);
          choice[a] = i, choice[b] = j;
          if (config::find_problem(describe(all, choice).experiment)) refused.insert({a, i, b, j});
        }
  return refused;
}

/// Models in which all of these meetings take place, but for those that are refused.
std::vector<ModelVariant> cover(const std::vector<Axis>& all, std::set<Meeting> missing) {
  const auto refused = refused_meetings(all);
  for (const auto& meeting : refused) missing.erase(meeting);
  std::vector<ModelVariant> variants;
  while (!missing.empty()) {
    // Begins with a meeting that is missing; each further axis takes the value that adds most of them.
    Choice choice(all.size());
    std::vector<bool> chosen(all.size(), false);
    const auto first = *missing.begin();
    choice[first.axis] = first.value, chosen[first.axis] = true;
    choice[first.other_axis] = first.other_value, chosen[first.other_axis] = true;
    for (std::size_t a = 0; a < all.size(); ++a) {
      if (chosen[a]) continue;
      std::size_t most = 0;
      for (std::size_t value = 0; value < all[a].values.size(); ++value) {
        std::size_t added = 0;
        bool fits = true;
        for (std::size_t b = 0; b < all.size(); ++b) {
          if (!chosen[b]) continue;
          added += missing.count(meeting(a, value, b, choice[b]));
          fits &= !refused.contains(meeting(a, value, b, choice[b]));
        }
        if (!fits) continue;
        if (value == 0 || added > most) choice[a] = value, most = added;
      }
      chosen[a] = true;
    }
    for (std::size_t a = 0; a < all.size(); ++a)
      for (std::size_t b = a + 1; b < all.size(); ++b) missing.erase({a, choice[a], b, choice[b]});
    variants.push_back(variant(all, choice));
  }
  return variants;
}

}  // namespace

bool is_of_kinds(const config::Key& key) {
  return key.name == "model.kind" ||
         std::ranges::find(models::kEncoderKeys, key.name) != models::kEncoderKeys.end();
}

std::vector<ModelVariant> single_variants() {
  const auto all = axes();
  Choice choice(all.size(), 0);
  std::vector<ModelVariant> variants{variant(all, choice)};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t value = 1; value < all[i].values.size(); ++value) {
      choice[i] = value;
      variants.push_back(variant(all, choice));
    }
    choice[i] = 0;
  }
  return variants;
}

std::vector<ModelVariant> pairwise_variants() {
  const auto all = axes();
  std::set<Meeting> missing;
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = a + 1; b < all.size(); ++b)
      for (std::size_t i = 0; i < all[a].values.size() && !all[a].outside; ++i)
        for (std::size_t j = 0; j < all[b].values.size() && !all[b].outside; ++j)
          missing.insert({a, i, b, j});
  return cover(all, missing);
}

std::vector<std::string> refused_pairs() {
  const auto all = axes();
  const auto refused = refused_meetings(all);
  // Whether all other values of axis b are refused beside this one of axis a.
  const auto with_all = [&](std::size_t a, std::size_t i, std::size_t b) {
    for (std::size_t j = 1; j < all[b].values.size(); ++j)
      if (!refused.contains(meeting(a, i, b, j))) return false;
    return true;
  };
  const auto every = [&](std::size_t a, std::size_t b) {
    for (std::size_t i = 1; i < all[a].values.size(); ++i)
      if (!with_all(a, i, b)) return false;
    return true;
  };
  std::set<std::string> names;
  for (const auto& [a, i, b, j] : refused) {
    const bool any_a = every(a, b) || (!with_all(a, i, b) && with_all(b, j, a));
    const bool any_b = every(a, b) || with_all(a, i, b);
    names.insert(fmt::format("{} {}, {} {}", all[a].key->name, any_a ? "*" : all[a].values[i],
                             all[b].key->name, any_b ? "*" : all[b].values[j]));
  }
  return {names.begin(), names.end()};
}

std::vector<ModelVariant> pairwise_outside_variants() {
  constexpr std::size_t kVariant = 1;  // its place among the values
  const auto all = axes();
  std::set<Meeting> missing;
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = 0; b < all.size() && all[a].outside; ++b)
      for (std::size_t j = 0; j < all[b].values.size() && a != b; ++j)
        missing.insert(meeting(a, kVariant, b, j));
  return cover(all, missing);
}

}  // namespace transformer::test
