// train.micro_tokens: auto, on a device whose memory ends where the test says.
#include "transformer/train/micro_tokens.h"

#include <torch/version.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/checkpoints/reverse_task.h"
#include "tests/fake_device/fake_device.h"
#include "transformer/base/error.h"
#include "transformer/base/log.h"
#include "transformer/checkpoints/model_files.h"
#include "transformer/checkpoints/run_directory.h"
#include "transformer/config/yaml.h"
#include "transformer/runtime/memory.h"
#include "transformer/tasks/text_task.h"
#include "transformer/train/dry_run.h"
#include "transformer/train/evaluation.h"
#include "transformer/train/first_epoch.h"
#include "transformer/train/optimizers/adam.h"
#include "transformer/train/trainer.h"
#include "transformer/train/update.h"

// Before, LibTorch's devices do not tell of their memory.
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 10

using namespace transformer;
using test::content_of;
using test::fake_device::device;
using test::fake_device::memory_use;

namespace {

/// At its end the device has as much memory as before.
struct Capacity {
  std::int64_t before = memory_use().capacity;
  ~Capacity() { test::fake_device::set_capacity(before); }
};

/// Updates of 400 tokens, of a text so large that 440 padded ones hold nearly all: tried are 440, 220, 146,
/// 110, 73, 55 and so on.
struct Reverse {
  test::TemporaryFolder folder;
  Capacity capacity;
  config::Experiment experiment;

  explicit Reverse(std::size_t sentences = 10000) {
    start_logging("off");
    torch::set_num_threads(1);
    experiment = test::tiny_experiment(test::prepare_reverse_task(folder, sentences, 20));
    experiment.train.source_tokens = experiment.train.target_tokens = 400;
    experiment.train.steps = 6;
    experiment.train.eval_every = experiment.train.save_every = 3;
    experiment.train.log_every = 1;
    experiment.train.warmup = 10;
  }

  tasks::TextTask task() const { return {experiment, device()}; }

  /// Peak memory, in bytes besides the weights, of an update of two micro-batches of the largest size.
  std::int64_t need(std::int64_t micro_tokens) const {
    auto task = this->task();
    task.module().train();
    task.training().set_micro_tokens(micro_tokens);
    const train::FirstEpoch epoch(task.training(), experiment.seed);
    const auto before = memory_use().in_use;
    runtime::release_kept_memory(device());
    train::Adam adam(checkpoints::named_parameters(task.module()), experiment.train);
    train::Updater updater(task.training(), adam, {.cut_when_short = false});
    updater.run(*epoch.examples, {epoch.largest, epoch.largest}, 0, 1);
    return memory_use().most - before;
  }

  /// From now on the device has so many bytes beside the weights.
  void leave_free(std::int64_t bytes) const {
    const auto task = this->task();
    test::fake_device::set_capacity(memory_use().in_use + bytes);
  }
  /// So many that with a tenth held in reserve these are left, and a little.
  void leave_room_for(std::int64_t bytes) const {
    leave_free(static_cast<std::int64_t>(std::ceil(static_cast<double>(bytes) / 0.9)) + 1000);
  }

  std::int64_t find(train::Task& task) const {
    return train::with_micro_tokens(task, experiment, torch::kFloat).train.micro_tokens.value();
  }

  checkpoints::RunDirectory run(const std::string& name) const { return {folder.path() / name}; }
  train::TrainOutcome train(const std::string& name, bool resume = false,
                            const std::atomic<bool>* interrupted = nullptr) const {
    auto task = this->task();
    return train::train(task, experiment,
                        {.run = run(name).path, .resume = resume, .quiet = true, .interrupted = interrupted});
  }
  auto micro_tokens_of(const std::string& name) const {
    return config::load_experiment(run(name).config()).train.micro_tokens;
  }
};

std::vector<torch::Tensor> weights_of(train::Task& task) {
  std::vector<torch::Tensor> weights;
  for (const auto& weight : task.module().parameters()) weights.push_back(weight.detach().cpu());
  return weights;
}

/// Where weights, the device's memory and random numbers stand.
struct Trace {
  std::vector<torch::Tensor> weights;
  std::int64_t in_use = 0;

  explicit Trace(train::Task& task) : weights(weights_of(task)) {
    train::evaluate_loss(task.dev(), torch::kFloat);  // makes the table of positions, which the model keeps
    in_use = memory_use().in_use;
    torch::manual_seed(7);
    torch::rand({3});
    torch::rand({3}, device());
  }
  void check_equal(train::Task& task) {
    const auto here = torch::rand({100}), there = torch::rand({100}, device()).cpu();
    torch::manual_seed(7);
    torch::rand({3});
    torch::rand({3}, device());
    CHECK(torch::equal(here, torch::rand({100})));
    CHECK(torch::equal(there, torch::rand({100}, device()).cpu()));
    const auto now = weights_of(task);
    for (std::size_t i = 0; i < now.size(); ++i) CHECK(torch::equal(now[i], weights[i]));
    for (const auto& weight : task.module().parameters()) CHECK_FALSE(weight.grad().defined());
    CHECK(memory_use().in_use == in_use);
  }
};

void check_equal(const checkpoints::RunDirectory& a, const checkpoints::RunDirectory& b) {
  for (const auto* name : {"model.safetensors", "optimizer.safetensors", "trainer.json", "config.yaml"}) {
    INFO(name);
    CHECK(content_of(a.checkpoints() / "last" / name) == content_of(b.checkpoints() / "last" / name));
  }
  const auto losses = [](const checkpoints::RunDirectory& run) {
    std::ifstream file(run.metrics());
    std::vector<nlohmann::json> found;
    for (std::string line; std::getline(file, line);) found.push_back(nlohmann::json::parse(line)["loss"]);
    return found;
  };
  CHECK(losses(a).size() == 8);
  CHECK(losses(a) == losses(b));
}

}  // namespace

TEST_CASE("the largest micro-batches that fit are found, and nothing is left of the trial") {
  const Reverse reverse;
  const auto [place, number] = GENERATE(table<int, std::int64_t>({{0, 440}, {1, 220}, {2, 146}, {4, 73}}));
  reverse.leave_room_for(reverse.need(number));
  auto task = reverse.task();
  Trace before(task);
  const auto released = memory_use().released;
  CHECK(reverse.find(task) == number);
  CHECK(memory_use().released == released + 1 + place + 1);  // before all, and after each
  CHECK(runtime::peak_memory(device()) == static_cast<double>(memory_use().in_use));
  before.check_equal(task);

  const auto plan = task.training().epoch(1, 0).plan;
  const data::Prepared data(reverse.experiment.data);
  tasks::NextTokens given(task.model(), data.train,
                          {.source_tokens = 400, .target_tokens = 400, .micro_tokens = number});
  CHECK(plan.micro_batches() == given.epoch(1, 0).plan.micro_batches());
}

TEST_CASE("where memory is no limit, updates are one micro-batch each, whatever padding that takes") {
  const Reverse reverse(GENERATE(as<std::size_t>(), 60, 100, 200, 3000, 10000));
  auto task = reverse.task();
  const auto found = reverse.find(task);
  const auto batches_an_update = [&](std::int64_t micro_tokens) {
    task.training().set_micro_tokens(micro_tokens);
    const train::FirstEpoch epoch(task.training(), reverse.experiment.seed);
    return static_cast<double>(epoch.micro_batches.size()) / epoch.updates;
  };
  CHECK(batches_an_update(found) < 1.05);
  for (const std::int64_t less : {440, 500, 600})
    if (less < found) CHECK(batches_an_update(less) >= 1.05);
}

TEST_CASE("a tenth of the memory is held in reserve") {
  const Reverse reverse;
  const auto need = reverse.need(440);
  reverse.leave_free(need + need / 20);
  CHECK(reverse.need(440) == need);  // it fits
  auto task = reverse.task();
  CHECK(reverse.find(task) < 440);
}

TEST_CASE("a batch that passes twice is tried twice") {
  Reverse reverse;
  const auto once = reverse.need(440);
  reverse.experiment.train.r_drop = 1;
  REQUIRE(reverse.need(440) > once);
  const auto half = reverse.need(220);
  reverse.leave_room_for(once);
  auto task = reverse.task();
  CHECK(reverse.find(task) < 440);
  reverse.leave_room_for(half);
  auto again = reverse.task();
  CHECK(reverse.find(again) == 220);
}

TEST_CASE("where not even one example fits, the message says what was tried, and nothing has changed") {
  const Reverse reverse;
  reverse.leave_free(300'000);  // weights and moments take more
  auto task = reverse.task();
  Trace before(task);
  CHECK_THROWS_AS(reverse.find(task), RunError);
  CHECK_THROWS_WITH(reverse.find(task),
                    ContainsSubstring("train.micro_tokens") && ContainsSubstring("fake:0") &&
                        ContainsSubstring("440, 220, 146") && ContainsSubstring("one example"));
  before.check_equal(task);
}

TEST_CASE("a limit that no update reaches does not count") {
  Reverse reverse;
  reverse.experiment.train.source_tokens = 1'000'000'000;
  auto task = reverse.task();
  CHECK(reverse.find(task) == 440);
}

TEST_CASE("a run whose number is found equals one that it was given to, and keeps it") {
  Reverse reverse;
  reverse.leave_room_for(reverse.need(146));
  REQUIRE(reverse.train("found") == train::TrainOutcome::finished);
  CHECK(reverse.micro_tokens_of("found") == 146);
  CHECK_THAT(content_of(reverse.run("found").log()),
             ContainsSubstring("train.micro_tokens: 146 fits, an update of "));

  const auto whole = reverse.experiment;
  reverse.experiment.train.steps = 3;
  REQUIRE(reverse.train("resumed") == train::TrainOutcome::finished);
  reverse.experiment = whole;
  test::fake_device::set_capacity(reverse.capacity.before);  // where 440 fit
  REQUIRE(reverse.train("resumed", true) == train::TrainOutcome::finished);
  CHECK(reverse.micro_tokens_of("resumed") == 146);

  reverse.experiment.train.micro_tokens = 440;
  CHECK_THROWS_WITH(reverse.train("found", true),
                    ContainsSubstring("'train.micro_tokens' is 146, found 440"));
  reverse.experiment.train.micro_tokens = 146;
  REQUIRE(reverse.train("given") == train::TrainOutcome::finished);
  check_equal(reverse.run("found"), reverse.run("given"));
  check_equal(reverse.run("found"), reverse.run("resumed"));
}

TEST_CASE("a stop while the number is sought leaves nothing behind, and the run can begin") {
  const Reverse reverse;
  const std::atomic<bool> interrupted = true;
  CHECK(reverse.train("run", false, &interrupted) == train::TrainOutcome::interrupted);
  CHECK_FALSE(std::filesystem::exists(reverse.run("run").config()));
  CHECK(reverse.train("run", true) == train::TrainOutcome::finished);
  CHECK(reverse.micro_tokens_of("run") == 440);
}

TEST_CASE("a dry run finds it too, and its peak is that of the updates") {
  const Reverse reverse;
  reverse.leave_room_for(reverse.need(146));
  auto task = reverse.task();
  const auto run = train::dry_run(task, reverse.experiment, torch::kFloat, 0.1);
  CHECK(run.micro_tokens == 146);
  const auto padded = run.largest_rows * std::max(run.largest_source, run.largest_target);
  CHECK(padded <= 146);
  CHECK(padded > 110);
  CHECK(run.peak_memory < 0.95 * static_cast<double>(memory_use().capacity));
}

#endif
