#include "apps/inspect/update.h"

#include <fmt/format.h>

#include <any>
#include <atomic>
#include <nlohmann/json.hpp>
#include <vector>

#include "transformer/base/error.h"
#include "transformer/config/yaml.h"
#include "transformer/tasks/batch_tensors.h"
#include "transformer/tasks/tasks.h"
#include "transformer/train/epoch_steps.h"
#include "transformer/train/micro_tokens.h"
#include "transformer/train/run_setup.h"
#include "transformer/train/schedule.h"

namespace transformer::apps {
namespace {

using Json = nlohmann::ordered_json;

/// An update's place among the epochs.
struct Place {
  train::Epoch epoch;
  std::int64_t number = 0;  ///< of the epoch, from 0
  std::int64_t update = 0;  ///< in it, from 0
};

Place find(const train::Objective& objective, std::int64_t seed, std::int64_t update) {
  Place place{.epoch = objective.epoch(static_cast<std::uint64_t>(seed), 0), .update = update - 1};
  while (place.update >= place.epoch.plan.size()) {
    place.update -= place.epoch.plan.size();
    place.epoch = objective.epoch(static_cast<std::uint64_t>(seed), ++place.number);
  }
  return place;
}

/// Sequence i of packed ids.
Json side(const models::Packed& packed, std::int64_t i, const data::Tokenizer& tokenizer) {
  const auto begin = packed.sequences.offsets[i].item<std::int64_t>(),
             end = packed.sequences.offsets[i + 1].item<std::int64_t>();
  std::vector<std::int32_t> ids;
  for (auto row = begin; row < end; ++row)
    ids.push_back(static_cast<std::int32_t>(packed.rows[row].item<std::int64_t>()));
  return {{"ids", ids}, {"text", tokenizer.decode(ids)}};
}

Json examples_of(const train::Examples::MicroBatch& numbers, const tasks::BatchTensors& batch,
                 const checkpoints::Tokenizers& tokenizers) {
  auto list = Json::array();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto place = static_cast<std::int64_t>(i);
    Json example{{"number", numbers[i]}};
    if (batch.source.rows.size(0) > 0) example["source"] = side(batch.source, place, *tokenizers.source);
    example["target"] = side(batch.target_input, place, *tokenizers.target);
    list.push_back(std::move(example));
  }
  return list;
}

void print_text(const Json& json) {
  fmt::print("update {}: update {} of epoch {}, both from 0, {} target tokens, learning rate {:.6e}\n",
             json["update"].get<std::int64_t>(), json["update_of_epoch"].get<std::int64_t>(),
             json["epoch"].get<std::int64_t>(), json["target_tokens"].get<std::int64_t>(),
             json["learning_rate"].get<double>());
  std::int64_t pass = 0;
  for (const auto& examples : json["passes"]) {
    fmt::print("pass {}\n", ++pass);
    for (const auto& example : examples) {
      fmt::print("  example {}\n", example["number"].get<std::int64_t>());
      for (const auto* name : {"source", "target"})
        if (example.contains(name))
          fmt::print("    {} ({} tokens)  {}\n", name, example[name]["ids"].size(),
                     example[name]["text"].get_ref<const std::string&>());
    }
  }
}

}  // namespace

void print_update(const std::string& run, std::int64_t update, bool as_json) {
  const checkpoints::RunDirectory directory{run};
  auto experiment = train::with_steps(config::load_resolved_experiment(train::configuration_of(directory)));
  if (update > experiment.train.steps)
    throw InputError(fmt::format("--update: expected a number from 1 to {}, the run's train.steps, found {}",
                                 experiment.train.steps, update));
  experiment.train.metric_every = experiment.train.samples = 0;  // nothing is judged here
  const std::atomic<bool> interrupted = false;
  const auto task = tasks::make(experiment, {.interrupted = interrupted});
  experiment = train::with_micro_tokens(*task, experiment, torch::kFloat, nullptr);
  const auto tokenizers = checkpoints::load_tokenizers(run);
  const auto [epoch, number, in_epoch] = find(task->training(), experiment.seed, update);
  auto passes = Json::array();
  for (const auto& numbers : epoch.plan.update(in_epoch)) {
    const auto batch = epoch.examples->make_batch(numbers);
    passes.push_back(examples_of(numbers, std::any_cast<const tasks::BatchTensors&>(batch), tokenizers));
  }
  std::int64_t tokens = 0;
  for (const auto& numbers : epoch.plan.update(in_epoch))
    tokens += epoch.examples->size_of(numbers).target_tokens;
  const Json json{{"update", update},
                  {"epoch", number},
                  {"update_of_epoch", in_epoch},
                  {"target_tokens", tokens},
                  {"learning_rate", train::learning_rate(experiment.train, task->d_model(), update)},
                  {"passes", std::move(passes)}};
  if (as_json)
    fmt::print("{}\n", json.dump());
  else
    print_text(json);
}

}  // namespace transformer::apps
