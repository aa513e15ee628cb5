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
  const auto read = train::facts_of(experiment.train.optimizer).keys;
  for (const auto& key : optimizer_keys()) {
    const auto found = find_key(key)->get(experiment);
    if (std::ranges::find(read, key) != read.end() || found == find_key(key)->get({})) continue;
    return Problem{{key, "train.optimizer"},
                   fmt::format("expected nothing where train.optimizer is {}, found '{}'",
                               name_of(experiment.train.optimizer), found)};
  }
  return std::nullopt;
}

std::optional<Problem> problem_of_schedule(const train::TrainOptions& options) {
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

}  // namespace transformer::config
