#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "transformer/config/keys.h"
#include "transformer/config/other_toolkits.h"
#include "transformer/config/scalar.h"
#include "transformer/nn/types.h"
#include "transformer/variants/registry.h"

namespace transformer::config {
namespace {

std::string_view last_part(std::string_view name) {
  return name.substr(name.rfind('.') + 1);
}

std::string_view section_of(std::string_view name) {
  const auto dot = name.find('.');
  return dot == std::string_view::npos ? std::string_view{} : name.substr(0, dot);
}

/// All before the last part: "model.variants".
std::string_view place_of(std::string_view name) {
  const auto dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : name.substr(0, dot);
}

constexpr auto kDecideNoWeights = std::to_array<std::string_view>({"train.steps",
                                                                   "train.epochs",
                                                                   "train.eval_every",
                                                                   "train.save_every",
                                                                   "train.log_every",
                                                                   "train.keep",
                                                                   "train.patience",
                                                                   "train.metric",
                                                                   "train.metric_every",
                                                                   "train.max_skipped",
                                                                   "train.samples",
                                                                   "train.tensorboard",
                                                                   "train.from",
                                                                   "data.train",
                                                                   "data.dev",
                                                                   "data.test",
                                                                   "data.tokenizer",
                                                                   "data.prepared",
                                                                   "distributed.timeout",
                                                                   "distributed.shard_moments"});

/// As much of a name as can resemble a key: comparing takes time and memory in proportion to it.
std::string_view comparable(std::string_view name) {
  constexpr std::size_t kLongest = 100;
  return name.substr(0, kLongest);
}

/// The letters by which two names differ, if these are few enough for one to be meant by the other.
std::optional<std::size_t> distance_if_near(std::string_view a, std::string_view b) {
  const auto [shorter, longer] = std::minmax(a, b, [](auto x, auto y) { return x.size() < y.size(); });
  constexpr std::size_t kStem = 4;  // letters; shorter beginnings are those of many names
  const auto distance = edit_distance(a, b);
  const bool near = 3 * distance <= longer.size() || (shorter.size() >= kStem && longer.starts_with(shorter));
  return near && !shorter.empty() ? std::optional(distance) : std::nullopt;
}

bool rates_depend_on_steps(const train::TrainOptions& options) {
  const auto& outside = options.variants.schedule;
  return outside ? variants::depends_on_steps(outside) : train::depends_on_steps(options.schedule);
}

}  // namespace

const Key* find_key(std::string_view name) {
  const auto found = std::ranges::find(keys(), name, &Key::name);
  return found == keys().end() ? nullptr : &*found;
}

bool is_section(std::string_view name) {
  return !name.empty() && std::ranges::any_of(keys(), [below = fmt::format("{}.", name)](const Key& key) {
    return key.name.starts_with(below);
  });
}

bool overrules(std::string_view later, std::string_view key) {
  if (later == "model.layers" && (key == "model.encoder_layers" || key == "model.decoder_layers"))
    return true;
  if (later == "train.bleu_every" && (key == "train.metric" || key == "train.metric_every")) return true;
  if (later == "train.steps" && key == "train.epochs") return true;
  return later == key;
}

bool decides_weights(std::string_view name, const Experiment& experiment) {
  if (name == "train.steps" || name == "train.epochs") return rates_depend_on_steps(experiment.train);
  if (name == "train.metric") return experiment.train.best == train::BestBy::metric;
  if (name.starts_with("train.mask_") || name == "train.class_weights")
    return experiment.model.kind.name == models::kEncoder;
  // A batch that shares statistics is an update, however many tokens a bucket has.
  if (name == "train.bucket_tokens" && nn::statistics_of(experiment.model.norm_type) > 0) return false;
  return section_of(name) != "decode" && std::ranges::find(kDecideNoWeights, name) == kDecideNoWeights.end();
}

std::vector<std::string> keys_that_decide_no_weights(const Experiment& experiment) {
  std::vector<std::string> names(kDecideNoWeights.begin(), kDecideNoWeights.end());
  std::erase_if(names, [&](const std::string& name) { return decides_weights(name, experiment); });
  names.emplace_back("decode.*");
  return names;
}

std::string nearest_key(std::string_view name) {
  name = comparable(name);
  const bool has_section = name.find('.') != std::string_view::npos;
  std::string best;
  auto least = std::numeric_limits<std::size_t>::max();
  for (const Key& key : keys()) {
    auto distance = distance_if_near(last_part(name), last_part(key.name));
    if (!distance && !has_section) distance = distance_if_near(name, key.name);  // model_heads
    // A right name in a wrong section is as near as half a wrong letter.
    const bool elsewhere = has_section && place_of(name) != place_of(key.name);
    if (!distance || 2 * *distance + (elsewhere ? 1 : 0) >= least) continue;
    least = 2 * *distance + (elsewhere ? 1 : 0);
    best = key.name;
  }
  return best;
}

std::string nearest_section(std::string_view name) {
  name = comparable(name);
  std::string best;
  auto least = std::numeric_limits<std::size_t>::max();
  for (const Key& key : keys()) {
    const auto section = section_of(key.name);
    const auto distance = distance_if_near(name, section);
    if (!distance || *distance >= least) continue;
    least = *distance;
    best = section;
  }
  return best;
}

std::string describe_unknown(std::string_view name, bool is_section) {
  const auto near = is_section ? nearest_section(name) : nearest_key(name);
  const auto here = is_section ? std::string_view{} : name_here(name);
  // What another toolkit calls so may be near to another key of ours.
  if (!here.empty()) return fmt::format("unknown; in its place there is {}", here);
  if (!near.empty()) return fmt::format("unknown; did you mean '{}'?", near);
  return "unknown; transformer-inspect --help-config lists the keys that there are";
}

std::string describe_keys() {
  std::string text;
  const Experiment defaults;
  for (const Key& key : keys()) {
    text += fmt::format("{:<26} {} (default: {})\n{:<26}   {}\n", key.name, key.help, key.get(defaults), "",
                        key.expected);
  }
  return text + variants::describe_known();
}

}  // namespace transformer::config
