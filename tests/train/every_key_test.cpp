// Every key of a training does what decides_weights says of it: with another value the weights after some
// updates are others, or the same. The keys come from the table of them.
#include <map>

#include "tests/checkpoints/reverse_task.h"
#include "tests/train/outside_training.h"
#include "tests/train/reverse_run.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/config/departures.h"
#include "transformer/config/keys.h"
#include "transformer/config/validate.h"
#include "transformer/train/epoch_steps.h"

using namespace transformer;

namespace {

constexpr std::int64_t kUpdates = 4;

/// Another value of a key, unless its values have names, and what it takes for the key to say anything.
struct Change {
  std::string value;
  std::vector<std::pair<std::string, std::string>> where = {};
};

const std::vector<std::pair<std::string, std::string>> kMuon{{"train.optimizer", "muon"}};
const std::vector<std::pair<std::string, std::string>> kAdapters{{"train.adapters", "*.query.weight"}};

const std::vector<std::pair<std::string, std::string>> kGuided{{"train.guided_alignment", "5"},
                                                               {"model.decoder_layers", "2"}};

const std::multimap<std::string, Change> kChanges{{"seed", {"2"}},
                                                  {"train.steps", {"7"}},
                                                  {"train.steps", {"7", {{"train.schedule", "linear"}}}},
                                                  {"train.epochs", {"2"}},
                                                  {"train.epochs", {"2", {{"train.schedule", "cosine"}}}},
                                                  {"train.source_tokens", {"300"}},
                                                  {"train.target_tokens", {"300"}},
                                                  {"train.sentences", {"20"}},
                                                  {"train.bucket_tokens", {"100"}},
                                                  {"train.micro_tokens", {"100"}},
                                                  {"train.r_drop", {"5"}},
                                                  {"train.label_smoothing", {"0.2"}},
                                                  {"train.mask_share", {"0.3"}},
                                                  {"train.warmup", {"3"}},
                                                  {"train.factor", {"0.4"}},
                                                  {"train.floor", {"0.0001", {{"train.schedule", "linear"}}}},
                                                  {"train.optimizer", {{}, {{"train.weight_decay", "0.1"}}}},
                                                  {"train.beta1", {"0.8"}},
                                                  {"train.beta2", {"0.99"}},
                                                  {"train.epsilon", {"1e-6"}},
                                                  {"train.momentum", {"0.5", {{"train.optimizer", "sgd"}}}},
                                                  {"train.muon_momentum", {"0.5", kMuon}},
                                                  {"train.weight_decay", {"0.1"}},
                                                  {"train.groups", {"*.bias rate=0.5"}},
                                                  {"train.groups", {"*norm* weight_decay=0.1"}},
                                                  {"train.variants.optimizer", {"signs"}},
                                                  {"train.variants.schedule", {"waves"}},
                                                  {"train.variants.loss", {"squares"}},
                                                  {"train.adapters", {"*.query.weight"}},
                                                  {"train.adapter_rank", {"2", kAdapters}},
                                                  {"train.adapter_alpha", {"4", kAdapters}},
                                                  {"train.guided_alignment", {"5"}},
                                                  {"train.guided_layer", {"2", kGuided}},
                                                  {"train.guided_head", {"2", kGuided}},
                                                  {"train.guided_step", {{}, kGuided}},
                                                  {"train.guided_null", {{}, kGuided}},
                                                  {"train.clip", {"0.01"}},
                                                  {"train.eval_every", {"3"}},
                                                  {"train.save_every", {"2"}},
                                                  {"train.log_every", {"1"}},
                                                  {"train.keep", {"5"}},
                                                  {"train.patience", {"50"}},
                                                  {"train.max_skipped", {"2"}},
                                                  {"train.metric", {"chrf"}},
                                                  {"train.metric_every", {"2"}},
                                                  {"train.best", {{}, {{"train.metric_every", "2"}}}},
                                                  {"train.samples", {"1"}}};

/// Keys that say something of several processes: the tests of groups hold them.
bool is_of_groups(const std::string& name) {
  return name.starts_with("distributed.");
}

/// Keys that say something of a training that begins from another's weights: beginning_test.cpp and
/// trained_parts_test.cpp hold them.
bool is_of_beginning(const std::string& name) {
  return name == "train.from" || name == "train.new_pieces";
}

/// A key that changes only which checkpoint is the best. A run cannot change that on the way, so the key is
/// listed among those that decide results.
bool decides_only_best(const std::string& name) {
  return name == "train.best";
}

/// Keys that say how long a training lasts, and so what it ends with.
bool decides_length(const std::string& name) {
  return name == "train.steps" || name == "train.epochs" || name == "train.patience";
}

/// The paper says nothing of random numbers, nor of how an update is divided.
bool departs_from_nothing(const std::string& name) {
  return name == "seed" || name == "train.bucket_tokens" || name == "train.micro_tokens";
}

class Trainings {
 public:
  Trainings() {
    task_.experiment.train.steps = 6;
    task_.experiment.train.eval_every = 2;
    task_.experiment.train.warmup = 2;
    task_.experiment.train.factor = 0.1;
    task_.experiment.train.samples = 0;
    task_.experiment.train.tensorboard = false;
    task_.experiment.data.links = "links";
    task_.experiment.data.prepared += "-with-links";
    data::prepare(task_.experiment.data, {.threads = 1, .quiet = true});
  }

  const config::Experiment& usual() const { return task_.experiment; }

  /// All weights after kUpdates updates of such a training, which lasts longer.
  torch::Tensor weights(const config::Experiment& asked) {
    REQUIRE_FALSE(config::find_problem(asked));
    const auto experiment = train::with_steps(asked);
    const auto settings = task_.settings("run-" + std::to_string(++count_));
    tasks::TextTask task(experiment, torch::kCPU, [](auto&) { return train::DevMetric{}; });
    train::train(task, experiment, settings);
    const checkpoints::RunDirectory run{settings.run};
    const auto loaded = checkpoints::load_model(run.checkpoint(kUpdates), torch::kCPU);
    std::vector<torch::Tensor> all;
    for (const auto& parameter : loaded.model->parameters()) all.push_back(parameter.flatten());
    return torch::cat(all);
  }

 private:
  test::ReverseTask task_;
  int count_ = 0;
};

/// The changes to try for a key. A key with named values tries them all.
std::vector<Change> changes_of(const config::Key& key) {
  const auto [begin, end] = kChanges.equal_range(key.name);
  if (begin == end && !key.choices.empty()) return {{}};
  if (begin == end) throw std::logic_error(key.name + ": another value to be listed here");
  std::vector<Change> changes;
  for (auto change = begin; change != end; ++change) changes.push_back(change->second);
  return changes;
}

}  // namespace

TEST_CASE("every key of a training decides its weights, or does not, as is said of it") {
  test::add_outside_training();
  Trainings trainings;
  for (const auto& key : config::keys()) {
    if (!is_written(key.kind)) continue;  // other names of keys
    if (is_of_groups(key.name) || is_of_beginning(key.name) ||
        (key.name != "seed" && !key.name.starts_with("train.")))
      continue;
    INFO(key.name);
    for (const auto& change : changes_of(key)) {
      auto usual = trainings.usual();
      for (const auto& [name, value] : change.where)
        REQUIRE(config::find_key(name)->set(usual, {.text = value}));
      const auto values = key.choices.empty() ? std::vector{key.get(usual), change.value} : key.choices;
      std::vector<std::pair<config::Experiment, torch::Tensor>> seen;
      for (const auto& value : values) {
        auto changed = usual;
        REQUIRE(key.set(changed, {.text = value}));
        const auto found = trainings.weights(changed);
        for (const auto& [before, weights] : seen) {
          INFO(value << " beside " << key.get(before));
          const bool decides = config::decides_weights(key.name, changed) && !decides_only_best(key.name);
          CHECK(torch::equal(found, weights) == !decides);
          CHECK((config::departures(changed) != config::departures(before)) ==
                ((decides && !departs_from_nothing(key.name)) || decides_length(key.name)));
        }
        seen.emplace_back(changed, found);
      }
      CHECK(seen.size() >= 2);
    }
  }
}
