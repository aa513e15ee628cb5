#include "transformer/config/validate_training.h"

#include <fmt/format.h>

#include <algorithm>

#include "transformer/config/keys.h"

namespace transformer::config {
namespace {

/// The keys that some optimiser reads, but not all.
std::vector<std::string> optimizer_keys() {
  std::vector<std::string> all;
  for (const auto kind : all_values<train::OptimizerKind>())
    for (auto& key : train::facts_of(kind).keys)
      if (std::ranges::find(all, key) == all.end()) all.push_back(std::move(key));
  return all;
}

/// A key that says nothing unless another one is set.
std::optional<Problem> idle(const Experiment& experiment, const char* key, const char* needed,
                            const std::string& where) {
  const auto &own = *find_key(key), &other = *find_key(needed);
  if (other.get(experiment) != other.get({}) || own.get(experiment) == own.get({})) return std::nullopt;
  return Problem{
      {key, needed},
      fmt::format("expected {}, its default, where {}, found '{}'", own.get({}), where, own.get(experiment))};
}

}  // namespace

std::optional<Problem> problem_of_optimizer(const Experiment& experiment) {
  const auto& options = experiment.train;
  const bool outside{options.variants.optimizer};
  auto unread = optimizer_keys();
  if (outside)
    unread.emplace_back("train.optimizer");
  else
    for (const auto& key : train::facts_of(options.optimizer).keys) std::erase(unread, key);
  for (const auto& key : unread) {
    const auto found = find_key(key)->get(experiment);
    if (found == find_key(key)->get({})) continue;
    if (outside)
      return Problem{
          {key, "train.variants.optimizer"},
          fmt::format("expected nothing where train.variants.optimizer is set, found '{}'", found)};
    return Problem{{key, "train.optimizer"},
                   fmt::format("expected nothing where train.optimizer is {}, found '{}'",
                               name_of(options.optimizer), found)};
  }
  return std::nullopt;
}

std::optional<Problem> problem_of_schedule(const train::TrainOptions& options) {
  if (options.variants.schedule) {
    if (options.schedule == train::TrainOptions{}.schedule) return std::nullopt;
    return Problem{{"train.schedule", "train.variants.schedule"},
                   fmt::format("expected nothing where train.variants.schedule is set, found '{}'",
                               name_of(options.schedule))};
  }
  if (train::needs_warmup(options.schedule) && options.warmup == 0)
    return Problem{{"train.warmup", "train.schedule"},
                   fmt::format("expected a whole number from 1 where train.schedule is {}, found '0'",
                               names_where(train::needs_warmup))};
  if (train::depends_on_steps(options.schedule) && options.epochs == 0 && options.warmup >= options.steps)
    return Problem{{"train.warmup", "train.steps", "train.schedule"},
                   fmt::format("expected less than train.steps ({}) where train.schedule is {}, found '{}'",
                               options.steps, names_where(train::depends_on_steps), options.warmup)};
  if (options.floor > 0 && !train::has_floor(options.schedule))
    return Problem{{"train.floor", "train.schedule"},
                   fmt::format("expected 0 unless train.schedule is {}, found '{}'",
                               names_where(train::has_floor), options.floor)};
  if (options.floor > options.factor)
    return Problem{
        {"train.floor", "train.factor"},
        fmt::format("expected at most train.factor ({}), found '{}'", options.factor, options.floor)};
  return std::nullopt;
}

std::optional<Problem> problem_of_beginning(const Experiment& experiment) {
  if (auto problem = idle(experiment, "train.new_pieces", "train.from", "train.from is not set"))
    return problem;
  if (auto problem = idle(experiment, "train.adapter_rank", "train.adapters", "train.adapters is none"))
    return problem;
  return idle(experiment, "train.adapter_alpha", "train.adapters", "train.adapters is none");
}

std::optional<Problem> problem_of_guidance(const Experiment& experiment) {
  const auto& options = experiment.train;
  constexpr const char *kWeight = "train.guided_alignment", *kLayer = "train.guided_layer",
                       *kHead = "train.guided_head", *kStep = "train.guided_step",
                       *kNull = "train.guided_null";
  if (options.guided_alignment == 0) {
    const auto where = fmt::format("{} is 0", kWeight);
    if (auto problem = idle(experiment, kLayer, kWeight, where)) return problem;
    if (auto problem = idle(experiment, kStep, kWeight, where)) return problem;
    if (auto problem = idle(experiment, kNull, kWeight, where)) return problem;
    return idle(experiment, kHead, kWeight, where);
  }
  const auto& data = experiment.data;
  if (data.examples != data::ExampleKind::trees && data.links.empty())
    return Problem{{kWeight, "data.links"},
                   fmt::format("expected 0 where there are no links (data.links) and no trees, found '{}'",
                               options.guided_alignment)};
  if (data.examples == data::ExampleKind::trees && options.guided_step == train::GuidedStep::reads)
    return Problem{{kStep, "data.examples"},
                   "expected writes where a head learns which word is next, found 'reads'"};
  if (data.examples == data::ExampleKind::trees && options.guided_null)
    return Problem{{kNull, "data.examples"},
                   "expected false where a head learns which word is next, found 'true'"};
  const auto& model = experiment.model;
  if (!models::stacks_of(model).decoder) return std::nullopt;  // another kind of model knows its layers
  const auto most = [](const char* key, const char* limit, std::int64_t limits, std::int64_t found) {
    return Problem{{key, limit}, fmt::format("expected at most {} ({}), found '{}'", limit, limits, found)};
  };
  if (options.guided_layer > model.decoder_layers)
    return most(kLayer, "model.decoder_layers", model.decoder_layers, options.guided_layer);
  if (options.guided_head > model.heads) return most(kHead, "model.heads", model.heads, options.guided_head);
  return std::nullopt;
}

}  // namespace transformer::config
