#include "transformer/train/replicas.h"

#include <fmt/format.h>
#include <torch/version.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "transformer/base/error.h"
#include "transformer/config/yaml.h"

namespace transformer::train {
namespace {

using Json = nlohmann::ordered_json;

/// What all processes must have in common, by name.
Json traits_of(Task& task, const Conditions& conditions) {
  Json traits = {{"program version", TRANSFORMER_VERSION},
                 {"LibTorch", TORCH_VERSION},
                 {"order of batches", conditions.batch_order},
                 {"--device", conditions.device},
                 {"--precision", conditions.precision},
                 {"training data (checksum of train.bin)", conditions.train_data},
                 {"dev data (checksum of dev.bin)", conditions.dev_data}};
  for (const auto& [name, value] : task.traits()) traits[name] = value;
  return traits;
}

/// Keys that differ, but for paths, which are each machine's own.
std::vector<config::Difference> differences_but_paths(const config::Experiment& first,
                                                      config::Experiment own) {
  auto data = first.data;
  std::swap(own.data.train, data.train);
  if (own.data.more_train.size() == data.more_train.size()) std::swap(own.data.more_train, data.more_train);
  std::swap(own.data.dev, data.dev);
  std::swap(own.data.test, data.test);
  std::swap(own.data.tokenizer, data.tokenizer);
  std::swap(own.data.prepared, data.prepared);
  own.train.from = first.train.from;
  return config::differences(first, own);
}

[[noreturn]] void refuse(const std::string& what, const std::string& expected, const std::string& found) {
  throw InputError(fmt::format("{}: expected what rank 0 has, {}, found {}: all processes train the same",
                               what, expected, found));
}

}  // namespace

void check_alike(distributed::Group& group, Task& task, const config::Experiment& experiment,
                 const Conditions& conditions) {
  const auto traits = traits_of(task, conditions);
  const auto first = Json::parse(
      group.from_first(Json{{"configuration", config::to_yaml(experiment)}, {"traits", traits}}.dump()));
  for (const auto& [name, value] : first["traits"].items())
    if (traits.value(name, Json()) != value) refuse(name, value.dump(), traits.value(name, Json()).dump());
  const auto configuration =
      config::parse_experiment(first["configuration"].get<std::string>(), "the configuration of rank 0");
  for (const auto& [key, left, right] : differences_but_paths(configuration, experiment))
    refuse(key, left, right);
  group.meet();  // nobody begins before all have been looked at
}

std::unique_ptr<distributed::Collectives> meet_others(distributed::Group* group, Task& task,
                                                      const config::Experiment& experiment,
                                                      const Conditions& conditions) {
  if (!group || group->size() == 1) return nullptr;
  if (const auto whole = task.training().takes_whole_updates())
    throw InputError(
        fmt::format("{}: expected one process, which sees a whole update, found {}", *whole, group->size()));
  check_alike(*group, task, experiment, conditions);
  return std::make_unique<distributed::Collectives>(*group,
                                                    std::chrono::seconds(experiment.distributed.timeout));
}

std::optional<std::int64_t> from_first(distributed::Group& group, std::optional<std::int64_t> own) {
  const auto first = group.from_first(own ? std::to_string(*own) : "");
  return first.empty() ? std::nullopt : std::optional<std::int64_t>(std::stoll(first));
}

bool share_start(distributed::Collectives& others, const TrainingParts& parts, bool said_by_first) {
  auto& group = others.group();
  const auto start =
      Json::parse(group.from_first(Json{{"said", said_by_first}, {"state", to_json(parts.state)}}.dump()));
  parts.state = train_state_from_json(start["state"].get<std::string>(), "rank 0");
  const torch::NoGradGuard no_gradients;
  std::vector<distributed::Collectives::Pending> pending;
  const auto snapshot = snapshot_of(parts);
  for (const auto* tensors : {&snapshot.weights, &snapshot.moments, &snapshot.adapters, &snapshot.base})
    for (const auto& [name, tensor] : *tensors) pending.push_back(others.begin_broadcast(tensor.detach(), 0));
  for (auto& one : pending) one.wait();
  parts.optimizer.set_updates(parts.state.steps_made());
  return start["said"].get<bool>();
}

}  // namespace transformer::train
