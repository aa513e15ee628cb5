#include "transformer/config/unused_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "transformer/nn/types.h"
#include "transformer/variants/registry.h"

namespace transformer::config {
namespace {

/// A key of the encoder-decoder that says nothing in some of them.
struct Rule {
  const char* key;
  const char* unless;  ///< where it says something
  bool (*is_read)(const models::ModelOptions&);
};

constexpr Rule kRules[] = {
    {"model.relative_distance", "model.positions is relative",
     [](const models::ModelOptions& o) { return nn::are_relative_vectors(o.positions); }},
    {"model.rotary_base", "model.positions is rotary",
     [](const models::ModelOptions& o) { return nn::are_rotary(o.positions); }},
    {"model.max_positions", "model.positions is learned",
     [](const models::ModelOptions& o) { return models::longest_sequence(o).has_value(); }},
    {"model.d_ff", "model.feed_forward is another than none",
     [](const models::ModelOptions& o) { return nn::exists(o.feed_forward); }},
};

}  // namespace

bool has_default(const Key& key, const Experiment& experiment) {
  return key.get(experiment) == key.get(Experiment{});
}

std::string refusal_of(const Key& key, const Experiment& experiment, const std::string& when) {
  return fmt::format("expected {}, its default, {}, found '{}'", key.get(Experiment{}), when,
                     key.get(experiment));
}

std::vector<const Key*> keys_of_other_kinds(const Experiment& experiment) {
  std::vector<const Key*> others;
  const auto read = variants::keys_of(experiment.model.kind, variants::Kind::model);
  if (!read) return others;
  for (const auto& key : keys())
    if (key.name.starts_with("model.") && key.name != "model.kind" && is_written(key.kind) &&
        std::ranges::find(*read, key.name) == read->end())
      others.push_back(&key);
  return others;
}

std::vector<IdleKey> idle_keys(const Experiment& experiment) {
  std::vector<IdleKey> idle;
  if (!models::stacks_of(experiment.model).any()) return idle;
  for (const auto& [name, unless, is_read] : kRules)
    if (!is_read(experiment.model)) idle.push_back({find_key(name), unless});
  return idle;
}

}  // namespace transformer::config
