#include "transformer/train/trainer.h"
#include "transformer/models/padded_ids.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/cuda.h"
#include "tests/train/reverse_run.h"
#include "tests/translation/greedy.h"
#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/base/log.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/checkpoints/run_directory.h"
#include "transformer/checkpoints/safetensors.h"
#include "transformer/config/yaml.h"
#include "transformer/data/batching.h"
#include "transformer/runtime/device.h"
#include "transformer/tasks/text_task.h"
#include "transformer/train/epoch_steps.h"
#include "transformer/train/evaluation.h"

namespace transformer::train {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::check_equal;
using test::content_of;
using test::metrics;
using test::ReverseTask;

TEST_CASE("a tiny model learns to reverse digits it has never seen, all of them") {
  ReverseTask task(4000, 100);
  auto& options = task.experiment.train;
  task.experiment.model.dropout = 0.0;
  options = {.steps = 1500,
             .source_tokens = 600,
             .target_tokens = 600,
             .bucket_tokens = 1000,
             .micro_tokens = 1000,
             .schedule = Schedule::noam,
             .warmup = 300,
             .factor = 0.8,
             .eval_every = 500,
             .save_every = 500};
  REQUIRE(task.train("run") == TrainOutcome::finished);

  auto loaded = checkpoints::load_model(task.run("run").path, torch::kCPU);
  const data::Prepared data(task.experiment.data);
  int right = 0;
  const auto lengths = data::lengths_of(data.dev);
  for (const auto& indices : data::BatchPlan::sequential(lengths, 1000).micro_batches()) {
    const auto source =
        models::padded_ids(tasks::to_device(data::make_batch(data.dev, indices), torch::kCPU).source);
    const auto found = test::greedy_search(loaded.encoder_decoder(), source, {});
    for (std::size_t row = 0; row < indices.size(); ++row)
      right += std::ranges::equal(found[row].ids, data.dev.target(indices[row]));
  }
  CHECK(right == 100);

  double lowest = 1e9;
  std::int64_t best = 0;
  for (const auto& line : metrics(task.run("run"))) {
    if (line["split"] == "dev" && line["perplexity"] < lowest) {
      lowest = line["perplexity"];
      best = line["step"];
    }
  }
  CHECK(task.run("run").linked_step("best") == best);
  // The smoothed targets leave the right token 0.9 + 0.1 / 25, and no more can be learnt.
  CHECK(lowest == Approx(1 / 0.904).epsilon(0.01));
}

TEST_CASE("two runs from one seed are equal byte for byte, from two seeds they are not") {
  ReverseTask task;
  REQUIRE(task.train("first") == TrainOutcome::finished);
  REQUIRE(task.train("second") == TrainOutcome::finished);
  check_equal(task.run("first"), task.run("second"));
  task.experiment.seed = 2;
  REQUIRE(task.train("third") == TrainOutcome::finished);
  CHECK(content_of(task.run("first").checkpoints() / "last" / "model.safetensors") !=
        content_of(task.run("third").checkpoints() / "last" / "model.safetensors"));
  task.experiment.seed = 1;
  task.experiment.data.bpe_dropout = 0.3;
  REQUIRE(task.train("fourth") == TrainOutcome::finished);
  CHECK(content_of(task.run("first").checkpoints() / "last" / "model.safetensors") !=
        content_of(task.run("fourth").checkpoints() / "last" / "model.safetensors"));
}

TEST_CASE("metrics.jsonl tells how the training went") {
  const ReverseTask task;
  task.train("run");
  std::vector<std::pair<std::string, int>> seen;
  double flops = 0;
  for (const auto& line : metrics(task.run("run"))) {
    seen.emplace_back(line["split"], line["step"]);
    for (const auto* key : {"loss", "perplexity", "learning_rate", "tokens_per_second", "flops", "seconds"})
      CHECK(line[key].get<double>() > 0);
    CHECK(line["flops"].get<double>() >= flops);
    flops = line["flops"];
  }
  CHECK(seen == std::vector<std::pair<std::string, int>>{{"train", 5},
                                                         {"dev", 6},
                                                         {"train", 10},
                                                         {"dev", 12},
                                                         {"train", 15},
                                                         {"dev", 18},
                                                         {"train", 20},
                                                         {"dev", 20}});
}

TEST_CASE("an interrupted and resumed run equals one that was left alone") {
  ReverseTask task;
  task.experiment.data.bpe_dropout = GENERATE(0.0, 0.3);
  auto& options = task.experiment.train;
  options.metric_every =
      7;  // the moment of the interruption: amid an epoch, and between two lines of the log
  std::atomic<bool> interrupted = false;
  auto settings = task.settings("whole");
  settings.interrupted = &interrupted;
  const auto bleu = [](const models::AnyModel&) { return DevMetric{"BLEU", 1.0}; };
  REQUIRE(task.train(settings, bleu) == TrainOutcome::finished);

  auto stopping = settings;
  stopping.run = task.run("interrupted").path;
  const auto stop = [&](const models::AnyModel&) {
    interrupted = true;
    return DevMetric{"BLEU", 1.0};
  };
  REQUIRE(task.train(stopping, stop) == TrainOutcome::interrupted);
  CHECK(task.run("interrupted").linked_step("last") == 7);
  interrupted = false;
  stopping.resume = true;
  REQUIRE(task.train(stopping, stop) == TrainOutcome::interrupted);
  CHECK(task.run("interrupted").linked_step("last") == 14);
  interrupted = false;
  REQUIRE(task.train(stopping, bleu) == TrainOutcome::finished);
  check_equal(task.run("whole"), task.run("interrupted"));
}

TEST_CASE("a killed run repeats what came after its last whole checkpoint") {
  const ReverseTask task;
  REQUIRE(task.train("whole") == TrainOutcome::finished);
  fs::copy(task.run("whole").path, task.run("killed").path,
           fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  const auto killed = task.run("killed");
  fs::remove_all(killed.checkpoint(18));
  fs::resize_file(killed.checkpoint(20) / "optimizer.safetensors", 100);
  std::ofstream(killed.metrics(), std::ios::app) << "{\"step\":2";
  REQUIRE(task.train("killed", true) == TrainOutcome::finished);
  check_equal(task.run("whole"), killed);
}

TEST_CASE("a finished run resumes to nothing, and with more steps goes on") {
  ReverseTask task;
  REQUIRE(task.train("run") == TrainOutcome::finished);
  const auto run = task.run("run");
  const auto weights = content_of(run.checkpoint(20) / "model.safetensors");
  const auto lines = content_of(run.metrics());
  const auto written = fs::last_write_time(run.checkpoint(20));
  CHECK(task.train("run", true) == TrainOutcome::finished);
  CHECK(content_of(run.metrics()) == lines);
  CHECK(fs::last_write_time(run.checkpoint(20)) == written);

  task.experiment.train.steps = 24;
  CHECK(task.train("run", true) == TrainOutcome::finished);
  REQUIRE(task.train("at once") == TrainOutcome::finished);
  CHECK(content_of(run.checkpoint(24) / "model.safetensors") ==
        content_of(task.run("at once").checkpoint(24) / "model.safetensors"));
}

TEST_CASE("a run that ended before its first checkpoint was whole resumes from the start") {
  ReverseTask task;
  task.experiment.train.save_every = 10;
  REQUIRE(task.train("whole") == TrainOutcome::finished);
  REQUIRE(task.train("lost") == TrainOutcome::finished);
  fs::remove_all(task.run("lost").checkpoints());
  REQUIRE(task.train("lost", true) == TrainOutcome::finished);
  check_equal(task.run("whole"), task.run("lost"));
}

TEST_CASE("a directory with a training, and another configuration, are refused") {
  ReverseTask task;
  task.experiment.train.steps = 1;
  REQUIRE(task.train("run") == TrainOutcome::finished);
  CHECK_THROWS_AS(task.train("run"), InputError);
  CHECK_THROWS_WITH(task.train("run"), ContainsSubstring("--resume"));
  task.experiment.model.dropout = 0.25;
  CHECK_THROWS_AS(task.train("run", true), InputError);
  CHECK_THROWS_WITH(task.train("run", true),
                    ContainsSubstring("'model.dropout'") && ContainsSubstring("0.25"));
}

TEST_CASE("training stops when patience is at an end, and stays stopped") {
  ReverseTask task;
  auto& options = task.experiment.train;
  options.factor = 1e-30;  // nothing is learnt, so the first evaluation stays the best
  options.patience = 2;
  options.eval_every = 3;
  options.save_every = 100;
  REQUIRE(task.train("run") == TrainOutcome::finished);
  const auto run = task.run("run");
  CHECK(run.linked_step("last") == 9);
  CHECK(run.linked_step("best") == 3);
  options.steps = 100;
  CHECK(task.train("run", true) == TrainOutcome::finished);
  CHECK(run.linked_step("last") == 9);

  options.patience = 4;  // as if it had been so from the beginning
  CHECK(task.train("run", true) == TrainOutcome::finished);
  CHECK(run.linked_step("last") == 15);
  REQUIRE(task.train("patient") == TrainOutcome::finished);
  for (const auto* name : {"model.safetensors", "optimizer.safetensors"})
    CHECK(content_of(run.checkpoint(15) / name) == content_of(task.run("patient").checkpoint(15) / name));
  options.patience = 0;
  options.steps = 17;
  CHECK(task.train("run", true) == TrainOutcome::finished);
  CHECK(run.linked_step("last") == 17);
}

TEST_CASE("the best checkpoint by BLEU is the one that scored highest, and is never pruned") {
  ReverseTask task;
  auto& options = task.experiment.train;
  options.best = BestBy::metric;
  options.metric_every = 4;
  options.eval_every = 10;
  options.keep = 1;
  int calls = 0;
  const auto bleu = [&](const models::AnyModel& model) {
    CHECK_FALSE(model->is_training());
    return DevMetric{"BLEU", std::vector{5.0, 20.0, 7.0, 20.0, 8.0}.at(static_cast<std::size_t>(calls++))};
  };
  REQUIRE(task.train(task.settings("run"), bleu) == TrainOutcome::finished);
  CHECK(calls == 5);
  const auto run = task.run("run");
  CHECK(run.linked_step("best") == 8);
  CHECK(run.linked_step("last") == 20);
  CHECK(run.list_checkpoints().size() == 2);
  std::map<int, double> scores;
  for (const auto& line : metrics(run))
    if (line.contains("bleu")) scores[line["step"]] = line["bleu"];
  CHECK(scores == std::map<int, double>{{4, 5.0}, {8, 20.0}, {12, 7.0}, {16, 20.0}, {20, 8.0}});
}

TEST_CASE("a training that diverges ends with a message and keeps its good checkpoints") {
  ReverseTask task;
  auto& options = task.experiment.train;
  options.schedule = Schedule::constant;
  options.factor = 1e-4;
  options.warmup = 0;
  options.steps = 4;
  REQUIRE(task.train("run") == TrainOutcome::finished);
  options.factor = 1e38;  // a change that a resumed run refuses: so it is a run of its own
  options.steps = 20;
  options.max_skipped = 3;
  CHECK_THROWS_AS(task.train("diverged"), RunError);
  CHECK(task.run("diverged").list_checkpoints().empty());  // never had finite weights
  CHECK(task.run("run").linked_step("last") == 4);
}

/// A run whose position 7, and so whose longest sources, make the encoder overflow.
struct PoisonedRun {
  ReverseTask task;
  checkpoints::RunDirectory run = task.run("poisoned");

  PoisonedRun() {
    task.experiment.model.positions = nn::Positions::learned;
    auto& options = task.experiment.train;
    options.source_tokens = options.target_tokens = 8;  // one sentence an update, or two
    options.steps = 4;
    options.log_every = 3;
    REQUIRE(task.train("poisoned") == TrainOutcome::finished);
    const auto file = run.checkpoint(4) / checkpoints::kWeightsFile;
    auto weights = checkpoints::load_safetensors(file);
    weights.at("source_positions.weight")[7].fill_(3e38);
    checkpoints::save_safetensors(file, {weights.begin(), weights.end()});
    write_checksums(run.checkpoint(4));
    options.steps = 60;
  }

  json state() const { return json::parse(content_of(run.checkpoints() / "last" / "trainer.json")); }
};

TEST_CASE("updates with NaN are skipped and counted, and the training goes on") {
  PoisonedRun poisoned;
  poisoned.task.experiment.train.max_skipped = 50;
  fs::copy(poisoned.run.path, poisoned.task.run("again").path,
           fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  REQUIRE(poisoned.task.train("poisoned", true) == TrainOutcome::finished);

  const data::Prepared data(poisoned.task.experiment.data);
  std::int64_t expected = 0;
  const auto& options = poisoned.task.experiment.train;
  const data::BatchPlan plan(data::lengths_of(data.train), limits_of(options), 1, 0);
  for (std::int64_t i = 4; i < 60; ++i) {
    bool long_source = false;
    for (const auto& batch : plan.update(i))
      for (const auto sentence : batch) long_source = long_source || data.train.source(sentence).size() >= 7;
    expected += long_source;
  }
  CHECK(expected > 5);
  CHECK(expected < 40);
  CHECK(poisoned.state()["skipped"] == expected);
  CHECK(metrics(poisoned.run).back()["skipped"] == expected);
  const auto log = content_of(poisoned.run.log());
  CHECK(log.find("skipped, loss") != std::string::npos);
  CHECK(log.find("sentences: ") != std::string::npos);
  for (const auto& line : metrics(poisoned.run))
    if (line["split"] == "train") CHECK(line["loss"].is_number());

  // The same with a stop amid it.
  auto& steps = poisoned.task.experiment.train.steps;
  steps = 37;
  REQUIRE(poisoned.task.train("again", true) == TrainOutcome::finished);
  steps = 60;
  REQUIRE(poisoned.task.train("again", true) == TrainOutcome::finished);
  for (const auto* name : {"model.safetensors", "optimizer.safetensors"})
    CHECK(content_of(poisoned.run.checkpoint(60) / name) ==
          content_of(poisoned.task.run("again").checkpoint(60) / name));
}

TEST_CASE("too many skipped updates in a row end the training, saved, and it can go on") {
  PoisonedRun poisoned;
  auto& options = poisoned.task.experiment.train;
  options.max_skipped = 2;
  options.save_every = 1;
  options.keep = 100;
  CHECK_THROWS_AS(poisoned.task.train("poisoned", true), RunError);
  const auto stopped = poisoned.state();
  CHECK(stopped["step"] > 5);
  CHECK(stopped["skipped"] >= 2);
  poisoned.task.experiment.train.max_skipped = 50;
  REQUIRE(poisoned.task.train("poisoned", true) == TrainOutcome::finished);
  CHECK(poisoned.state()["step"] == 60);
  // It was due, though the training ended with it.
  CHECK(fs::exists(poisoned.run.checkpoint(stopped["step"])));
}

TEST_CASE("a run that is stopped during evaluations makes them when it goes on") {
  ReverseTask task;
  auto& options = task.experiment.train;
  options.metric_every = 3;
  options.save_every = 5;
  auto settings = task.settings("whole");
  const auto bleu = [](const models::AnyModel& model) {
    return DevMetric{"BLEU", model->parameters()[0].abs().sum().item<double>()};
  };
  REQUIRE(task.train(settings, bleu) == TrainOutcome::finished);

  auto stopping = settings;
  stopping.run = task.run("stopped").path;
  stopping.resume = true;
  int calls = 0;
  const auto stop = [&](const models::AnyModel& model) {
    if (++calls % 2 == 1) throw Interrupted();
    return bleu(model);
  };
  int stops = 0;
  while (task.train(stopping, stop) == TrainOutcome::interrupted) ++stops;
  CHECK(stops == 6);
  check_equal(task.run("whole"), task.run("stopped"));
}

TEST_CASE("a run that is stopped during samples shows them when it goes on") {
  ReverseTask task;
  task.experiment.train.samples = 1;
  const auto sample = [](const models::AnyModel& model) {
    return std::vector<Sample>{
        {"1 2", "2 1", std::to_string(model->parameters()[0].abs().sum().item<double>())}};
  };
  REQUIRE(task.train(task.settings("whole"), {}, torch::kCPU, sample) == TrainOutcome::finished);
  int calls = 0, stops = 0;
  const auto stop = [&](const models::AnyModel& model) {
    if (++calls % 2 == 1) throw Interrupted();
    return sample(model);
  };
  while (task.train(task.settings("stopped", true), {}, torch::kCPU, stop) == TrainOutcome::interrupted)
    ++stops;
  CHECK(stops > 2);
  check_equal(task.run("whole"), task.run("stopped"));
  const auto shown = [&](const char* run) {
    std::vector<std::string> texts;
    std::ifstream file(task.run(run).samples());
    for (std::string line; std::getline(file, line);) texts.push_back(line.substr(0, line.find("\"time\"")));
    return texts;
  };
  CHECK(static_cast<int>(shown("whole").size()) == stops);
  CHECK(shown("whole") == shown("stopped"));
}

TEST_CASE(
    "a run that is stopped at any moments, also between micro-batches, equals one that was left alone") {
  ReverseTask task;
  task.experiment.train.micro_tokens = 20;  // some twenty micro-batches an update
  REQUIRE(task.train("whole") == TrainOutcome::finished);
  int stops = 0;
  auto outcome = TrainOutcome::interrupted;
  for (int delay = 10; outcome == TrainOutcome::interrupted; delay += 17) {
    std::atomic<bool> interrupted = false;
    auto settings = task.settings("stopped", true);
    settings.interrupted = &interrupted;
    std::thread timer([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(delay));
      interrupted = true;
    });
    outcome = task.train(settings);
    timer.join();
    stops += outcome == TrainOutcome::interrupted;
  }
  CHECK(stops > 2);
  check_equal(task.run("whole"), task.run("stopped"));
}

TEST_CASE("a stop before the first update leaves nothing to go on from, and the run can begin") {
  ReverseTask task;
  const std::atomic<bool> interrupted = true;
  auto settings = task.settings("run");
  settings.interrupted = &interrupted;
  CHECK(task.train(settings) == TrainOutcome::interrupted);
  CHECK(task.run("run").list_checkpoints().empty());
  CHECK(task.train("run", true) == TrainOutcome::finished);
}

TEST_CASE(
    "train.micro_tokens is written as a number: auto is 4096 on the CPU, and what a run began with after "
    "that") {
  ReverseTask task;
  auto& options = task.experiment.train;
  options.steps = 4;
  const auto written = [&](const std::string& name) {
    return config::load_experiment(task.run(name).config()).train.micro_tokens;
  };
  options.micro_tokens.reset();
  REQUIRE(task.train("auto") == TrainOutcome::finished);
  CHECK(written("auto") == 4096);
  options.micro_tokens = 4096;
  REQUIRE(task.train("given") == TrainOutcome::finished);
  check_equal(task.run("auto"), task.run("given"));

  options.micro_tokens = 150;
  options.steps = 8;
  REQUIRE(task.train("small") == TrainOutcome::finished);
  REQUIRE(task.train("whole") == TrainOutcome::finished);
  options.micro_tokens.reset();
  options.steps = 12;
  REQUIRE(task.train("small", true) == TrainOutcome::finished);
  CHECK(written("small") == 150);
  CHECK(checkpoints::load_model(task.run("small").path, torch::kCPU).experiment.train.micro_tokens == 150);
  options.micro_tokens = 150;
  REQUIRE(task.train("whole", true) == TrainOutcome::finished);
  check_equal(task.run("small"), task.run("whole"));
  options.micro_tokens = 4096;
  CHECK_THROWS_WITH(task.train("small", true), ContainsSubstring("'train.micro_tokens' is 150, found 4096"));
}

TEST_CASE("a run whose data were prepared anew, from other text, does not go on") {
  ReverseTask task;
  task.experiment.train.steps = 2;
  REQUIRE(task.train("run") == TrainOutcome::finished);
  test::prepare_reverse_task(task.folder, 100, 10, /*overwrite=*/true);
  CHECK_THROWS_AS(task.train("run", true), InputError);
  CHECK_THROWS_WITH(task.train("run", true), ContainsSubstring("found another"));
}

TEST_CASE("training in bf16 runs and repeats itself") {
  const ReverseTask task;
  auto settings = task.settings("first");
  settings.precision = torch::kBFloat16;
  REQUIRE(task.train(settings) == TrainOutcome::finished);
  settings.run = task.run("second").path;
  REQUIRE(task.train(settings) == TrainOutcome::finished);
  check_equal(task.run("first"), task.run("second"));

  // The dev set is judged in fp32 nevertheless.
  auto loaded =
      checkpoints::load_model(task.run("first").checkpoint(task.experiment.train.steps), torch::kCPU);
  const data::Prepared data(task.experiment.data);
  tasks::NextTokens dev(loaded.model, data.dev, task.experiment.train);
  const auto last = metrics(task.run("first")).back();
  REQUIRE(last["split"] == "dev");
  CHECK(last["perplexity"].get<double>() ==
        Approx(evaluate_loss(dev, torch::kFloat).perplexity).epsilon(1e-9));
}

/// Largest difference of a weight between a run on CUDA that is stopped after step 9 and one that is not.
double difference_after_stop(const torch::Device& device, torch::ScalarType precision) {
  ReverseTask task;
  task.experiment.train.eval_every = 100;
  auto settings = task.settings("whole");
  settings.precision = precision;
  REQUIRE(task.train(settings, {}, device) == TrainOutcome::finished);
  settings.run = task.run("stopped").path;
  settings.resume = true;
  for (const std::int64_t steps : {9, 20}) {
    task.experiment.train.steps = steps;
    REQUIRE(task.train(settings, {}, device) == TrainOutcome::finished);
  }
  const auto weights = [&](const char* run) {
    return checkpoints::load_safetensors(task.run(run).checkpoint(20) / checkpoints::kWeightsFile);
  };
  double difference = 0;
  for (const auto& [name, weight] : weights("whole"))
    difference = std::max(difference, (weight - weights("stopped").at(name)).abs().max().item<double>());
  return difference;
}

TEST_CASE("a stopped run on CUDA equals one that was left alone, to the bit where that is asked for",
          "[cuda]") {
  if (!test::has_cuda) {
    WARN("skipped: no CUDA device here");
    return;
  }
  const auto device = runtime::choose_device("cuda");
  CHECK(difference_after_stop(device, torch::kFloat) <
        1e-3);  // the tolerance of docs/evidence/reliability.md
  CHECK(difference_after_stop(device, torch::kBFloat16) < 1e-2);
  runtime::use_deterministic_algorithms();
  CHECK(difference_after_stop(device, torch::kFloat) == 0);
  CHECK(difference_after_stop(device, torch::kBFloat16) == 0);
  at::globalContext().setDeterministicAlgorithms(false, false);
}

TEST_CASE("a run on CUDA whose train.micro_tokens is found equals one that it was given to", "[cuda]") {
  if (!test::has_cuda) {
    WARN("skipped: no CUDA device here");
    return;
  }
  ReverseTask task;
  auto& micro_tokens = task.experiment.train.micro_tokens;
  const auto device = runtime::choose_device("cuda");
  runtime::use_deterministic_algorithms();
  micro_tokens.reset();
  REQUIRE(task.train(task.settings("found"), {}, device) == TrainOutcome::finished);
  micro_tokens = config::load_experiment(task.run("found").config()).train.micro_tokens;
  CHECK(micro_tokens >= 440);  // an update's limit and 10 %, of which such a device holds many
  REQUIRE(task.train(task.settings("given"), {}, device) == TrainOutcome::finished);
  check_equal(task.run("found"), task.run("given"));
  at::globalContext().setDeterministicAlgorithms(false, false);
}

}  // namespace
}  // namespace transformer::train
