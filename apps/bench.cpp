// transformer-bench: how fast this machine multiplies, trains, decodes and prepares.
#include <fmt/format.h>

#include <iostream>
#include <thread>

#include "apps/bench/prepare.h"
#include "apps/bench/report.h"
#include "apps/not_empty.h"
#include "apps/program.h"
#include "transformer/config/yaml.h"
#include "transformer/data/prepared.h"
#include "transformer/nn/device.h"
#include "transformer/nn/memory.h"
#include "transformer/nn/product.h"

namespace {

using namespace transformer;

struct Arguments {
  apps::CommonOptions common;
  bool json = false;
  std::string config;
  std::string shape = "small";
  std::int64_t tokens = 0;
  double seconds = 30;
  std::string batches;
  std::string text, tokenizer;
};

void show(const bench::Json& object, const std::string& text, bool as_json) {
  std::cout << (as_json ? object.dump() : text) << std::endl;
}

int run_gemm(const Arguments& arguments) {
  const auto device = nn::choose_device(arguments.common.device);
  for (const auto& speed : bench::time_gemms(device))
    show(bench::as_json(speed), bench::as_text(speed), arguments.json);
  return apps::kDone;
}

int run_train(const Arguments& arguments) {
  const auto experiment = config::load_experiment(arguments.config, arguments.common.set);
  bench::TrainSettings settings{.shape = bench::shape_of(arguments.shape),
                                .device = nn::choose_device(arguments.common.device),
                                .seconds = arguments.seconds,
                                .seed = arguments.common.seed.value_or(experiment.seed),
                                .batches = arguments.batches};
  settings.precision = nn::choose_precision(arguments.common.precision, settings.device);
  if (arguments.tokens > 0) settings.shape.tokens = arguments.tokens;
  nn::keep_freed_memory();
  nn::keep_generated_code();
  const data::Prepared data(experiment.data);
  const auto speed = bench::time_training(data.train, settings);
  show(bench::as_json(speed, arguments.shape, settings.precision),
       bench::as_text(speed, arguments.shape, settings.precision), arguments.json);
  return apps::kDone;
}

int run_prepare(const Arguments& arguments) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  const int threads = arguments.common.threads > 0 ? arguments.common.threads : cores;
  const auto speed = bench::bench_prepare(arguments.text, arguments.tokenizer, threads);
  show({{"benchmark", "prepare"},
        {"threads", threads},
        {"megabytes_per_second", speed.megabytes_per_second},
        {"sentences_per_second", speed.sentences_per_second},
        {"peak_memory_megabytes", speed.peak_megabytes}},
       fmt::format("{:.1f} MB/s, {:.0f} sentences/s on {} threads; peak memory {:.0f} MB",
                   speed.megabytes_per_second, speed.sentences_per_second, threads, speed.peak_megabytes),
       arguments.json);
  return apps::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Measures how fast this machine multiplies matrices, trains, decodes and prepares text. Speeds of a "
      "model "
      "are printed beside the machine's own, measured in the same run.",
      "transformer-bench");
  app.require_subcommand(1);
  app.fallthrough();
  Arguments arguments;
  app.add_flag("--json", arguments.json, "One JSON object a line");
  apps::add_common_options(app, arguments.common);

  auto* gemm = app.add_subcommand("gemm", "Matrix products: 2048³, 4096³ and the shapes of a model's layers");
  auto* train = app.add_subcommand("train", "Updates of one batch each on a prepared data set");
  train->add_option("--config", arguments.config, "Configuration file whose data.prepared is trained on")
      ->required()
      ->check(apps::kNotEmpty);
  train->add_option("--shape", arguments.shape, "small (3 layers, d_model 256), base or big (the paper's)")
      ->capture_default_str();
  train->add_option("--tokens", arguments.tokens, "Target tokens of a batch; by default 4096, 2048 or 1024")
      ->check(CLI::NonNegativeNumber);
  train->add_option("--seconds", arguments.seconds, "How long to measure, after 12 updates of warm-up")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  train->add_option("--write-batches", arguments.batches,
                    "Write each update's sentence numbers to this file, one update a line");

  auto* prepare = app.add_subcommand("prepare", "Text to ids, as transformer-prepare encodes it");
  prepare->add_option("--text", arguments.text, "Text, a sentence a line")
      ->required()
      ->check(apps::kNotEmpty);
  prepare->add_option("--tokenizer", arguments.tokenizer, "SentencePiece model")
      ->required()
      ->check(apps::kNotEmpty);
  return apps::run_program(app, arguments.common, argc, argv, [&] {
    if (gemm->parsed()) return run_gemm(arguments);
    if (prepare->parsed()) return run_prepare(arguments);
    return run_train(arguments);
  });
}
