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
  const auto idle = [&](const char* key, const char* needed, const char* where) -> std::optional<Problem> {
    const auto &own = *find_key(key), &other = *find_key(needed);
    if (other.get(experiment) != other.get({}) || own.get(experiment) == own.get({})) return std::nullopt;
    return Problem{{key, needed},
                   fmt::format("expected {}, its default, where {}, found '{}'", own.get({}), where,
                               own.get(experiment))};
  };
  if (auto problem = idle("train.new_pieces", "train.from", "train.from is not set")) return problem;
  if (auto problem = idle("train.adapter_rank", "train.adapters", "train.adapters is none")) return problem;
  return idle("train.adapter_alpha", "train.adapters", "train.adapters is none");
}

}  // namespace transformer::config
