// Runs in fp16: what becomes of the loss scale where they are stopped, and of the updates that it costs.
#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/checkpoints/reverse_task.h"
#include "tests/fake_device/tested_device.h"
#include "transformer/base/atomic_file.h"
#include "transformer/base/checksums.h"
#include "transformer/base/log.h"
#include "transformer/checkpoints/run_directory.h"
#include "transformer/tasks/text_task.h"
#include "transformer/train/trainer.h"

using namespace transformer;

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::content_of;

struct Fp16Runs {
  test::TemporaryFolder folder;
  config::Experiment experiment;

  Fp16Runs() {
    start_logging("off");
    torch::set_num_threads(1);
    experiment = test::tiny_experiment(test::prepare_reverse_task(folder, 200, 20));
    experiment.train = {.steps = 4,
                        .source_tokens = 400,
                        .target_tokens = 400,
                        .micro_tokens = 150,
                        .warmup = 10,
                        .factor = 0.3,
                        .clip = 1.0,
                        .eval_every = 6,
                        .save_every = 4,
                        .log_every = 5,
                        .keep = 20,
                        .max_skipped = 2};
  }

  checkpoints::RunDirectory run(const std::string& name) const { return {folder.path() / name}; }

  /// Up to this step, in a process of its own, as it were.
  void train(const std::string& name, std::int64_t steps) {
    experiment.train.steps = steps;
    tasks::TextTask task(experiment, test::tested_device());
    REQUIRE(train::train(task, experiment,
                         {.run = run(name).path, .resume = true, .quiet = true, .precision = torch::kHalf}) ==
            train::TrainOutcome::finished);
  }

  json state(const std::string& name) const { return json::parse(last(name, "trainer.json")); }
  std::string last(const std::string& name, const std::string& file) const {
    return content_of(run(name).checkpoints() / "last" / file);
  }
  /// The lines of training, without times. Evaluations are left out because each stop adds one.
  std::vector<json> training_metrics(const std::string& name) const {
    std::ifstream file(run(name).metrics());
    std::vector<json> lines;
    for (std::string text; std::getline(file, text);) {
      auto line = json::parse(text);
      for (const auto* time : {"seconds", "time", "tokens_per_second"}) line.erase(time);
      if (line["split"] == "train") lines.push_back(std::move(line));
    }
    return lines;
  }
};

}  // namespace

TEST_CASE("a run in fp16 that is stopped has the loss scale of one that was left alone, and its numbers",
          "[device]") {
  Fp16Runs runs;
  runs.train("whole", 4);
  REQUIRE(runs.state("whole")["loss_scale"] ==
          json{{"value", 65536.0}, {"good_updates", 4}, {"overflows", 0}});
  // From here on one that is too large, or one that is about to be doubled.
  const bool large = GENERATE(true, false);
  const auto checkpoint = runs.run("whole").checkpoint(4);
  auto state = runs.state("whole");
  state["loss_scale"]["value"] = large ? 0x1p28 : 256;
  state["loss_scale"]["good_updates"] = large ? 0 : 1993;
  write_file_atomically(checkpoint / "trainer.json", state.dump());
  write_checksums(checkpoint);
  fs::copy(runs.run("whole").path, runs.run("stopped").path,
           fs::copy_options::recursive | fs::copy_options::copy_symlinks);

  runs.train("whole", 20);
  for (const int steps : {6, 13, 20}) runs.train("stopped", steps);
  for (const auto* name : {"model.safetensors", "optimizer.safetensors", "trainer.json"}) {
    INFO(name);
    CHECK(runs.last("whole", name) == runs.last("stopped", name));
  }
  CHECK(runs.training_metrics("whole") == runs.training_metrics("stopped"));

  state = runs.state("whole");
  const auto& scale = state["loss_scale"];
  const auto log = content_of(runs.run("whole").log());
  const std::string lost = "lost, as its gradient overflowed in fp16: the loss scale is";
  CHECK(state["skipped"] == 0);
  CHECK(runs.training_metrics("whole").back()["loss_scale"] == scale["value"]);
  CHECK(runs.training_metrics("whole").back()["overflows"] == scale["overflows"]);
  CHECK(runs.training_metrics("whole").back()["skipped"] == 0);
  if (large) {
    CHECK(scale["overflows"] > 4);   // more than max_skipped in a row, some of them on each side of a stop
    CHECK(scale["overflows"] < 16);  // others made their step
    CHECK(scale["value"] == 0x1p28 / std::exp2(scale["overflows"].get<int>()));
    CHECK(log.find(lost) != std::string::npos);
    CHECK(log.find("of them lost to the loss scale") != std::string::npos);
  } else {
    CHECK(scale == json{{"value", 512.0}, {"good_updates", 9}, {"overflows", 0}});
    CHECK(log.find(lost) == std::string::npos);
  }
}
