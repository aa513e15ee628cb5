#include "transformer/config/unused_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "transformer/config/keys.h"
#include "transformer/nn/types.h"
#include "transformer/variants/registry.h"

namespace transformer::config {
namespace {

/// A key of the encoder-decoder that says nothing in some of them.
struct Rule {
  const char* key;
  const char* cause;
  const char* unless;  ///< where it says something
  bool (*is_read)(const models::ModelOptions&);
};

constexpr Rule kRules[] = {
    {"model.relative_distance", "model.positions", "model.positions is relative",
     [](const models::ModelOptions& o) { return nn::are_relative_vectors(o.positions); }},
    {"model.max_positions", "model.positions", "model.positions is learned",
     [](const models::ModelOptions& o) { return models::longest_sequence(o).has_value(); }},
    {"model.d_ff", "model.feed_forward", "model.feed_forward is not none",
     [](const models::ModelOptions& o) { return nn::exists(o.feed_forward) || o.variants.feed_forward; }},
};

std::string expected(const Key& key, const std::string& when, const Experiment& experiment) {
  return fmt::format("expected {}, its default, {}, found '{}'", key.get(Experiment{}), when,
                     key.get(experiment));
}

bool is_default(const Key& key, const Experiment& experiment) {
  return key.get(experiment) == key.get(Experiment{});
}

}  // namespace

std::vector<UnusedKey> unused_keys(const Experiment& experiment) {
  std::vector<UnusedKey> unused;
  if (const auto& kind = experiment.model.kind) {
    const auto read = variants::keys_of(kind, variants::Kind::model);
    for (const auto& key : keys()) {
      if (!read || !key.name.starts_with("model.") || key.name == "model.kind" || !is_written(key.kind))
        continue;
      if (std::ranges::find(*read, key.name) != read->end() || is_default(key, experiment)) continue;
      const auto when = fmt::format("with model.kind {}, which does not know the key", kind.name);
      unused.push_back({key.name, "model.kind", expected(key, when, experiment)});
    }
    return unused;
  }
  for (const auto& [name, cause, unless, is_read] : kRules) {
    const auto& key = *find_key(name);
    if (is_read(experiment.model) || is_default(key, experiment)) continue;
    unused.push_back({name, cause, expected(key, fmt::format("unless {}", unless), experiment)});
  }
  return unused;
}

}  // namespace transformer::config
