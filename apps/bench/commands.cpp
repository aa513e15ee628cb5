#include "apps/bench/commands.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <thread>

#include "apps/bench/prepare.h"
#include "apps/not_empty.h"
#include "transformer/base/error.h"
#include "transformer/base/output_place.h"
#include "transformer/base/text_file.h"
#include "transformer/config/yaml.h"
#include "transformer/data/corpus.h"
#include "transformer/data/prepared.h"
#include "transformer/runtime/device.h"
#include "transformer/runtime/memory.h"
#include "transformer/runtime/product.h"

namespace transformer::bench {
namespace fs = std::filesystem;

namespace {

/// What an earlier run wrote may be replaced, or what nobody wrote.
void check_batches(const std::string& file) {
  if (file.empty() || !fs::is_regular_file(file)) return;
  if (read_file(file).find_first_not_of("0123456789 \n") != std::string::npos)
    throw InputError(
        fmt::format("--write-batches {}: expected nothing or sentence numbers, found something else, which "
                    "is not replaced",
                    file));
}

}  // namespace

void Output::check() const {
  if (append.empty()) return;
  check_output_place(append, {});
  std::string first;
  if (fs::is_regular_file(append) && std::getline(std::ifstream(append), first) && !first.starts_with('{'))
    throw InputError(fmt::format("--append {}: expected lines of JSON, found something else", append));
  if (!std::ofstream(append, std::ios::app))
    throw InputError(fmt::format("--append {}: cannot be written", append));
}

void Output::show(const Json& object, const std::string& text) const {
  std::cout << (json ? object.dump() : text) << std::endl;
  if (!std::cout) throw RunError("cannot write to standard output");
  if (append.empty()) return;
  std::ofstream file(append, std::ios::app);
  if (!(file << object.dump() << std::endl)) throw RunError(fmt::format("{}: cannot be written", append));
}

Command add_gemm(CLI::App& app, const Shared& shared) {
  app.add_subcommand("gemm", "Matrix products: 2048³, 4096³ and the shapes of a model's layers");
  return [shared] {
    const auto device = runtime::choose_device(shared.options.device);
    for (const auto& speed : time_gemms(device)) shared.output.show(as_json(speed), as_text(speed));
    return static_cast<int>(apps::kDone);
  };
}

Command add_train(CLI::App& app, const Shared& shared) {
  struct Arguments {
    std::string config, shape = "small", batches;
    std::int64_t tokens = 0;
    double seconds = 30;
  };
  const auto given = std::make_shared<Arguments>();
  auto* command = app.add_subcommand("train", "Updates of one batch each on a prepared data set");
  command->add_option("--config", given->config, "Configuration file whose data.prepared is trained on")
      ->required()
      ->check(apps::kNotEmpty);
  command->add_option("--shape", given->shape, "small (3 layers, d_model 256), base or big (the paper's)")
      ->capture_default_str();
  command->add_option("--tokens", given->tokens, "Target tokens of a batch; by default 4096, 2048 or 1024")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--seconds", given->seconds, "How long to measure, after 12 updates of warm-up")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option(
      "--write-batches", given->batches,
      "Write each update's sentence numbers to this file, one update a line; - is standard output");
  return [shared, given] {
    const auto experiment = config::load_given_experiment(given->config, shared.options.set);
    check_batches(given->batches);
    TrainSettings settings{.shape = shape_of(given->shape),
                           .device = runtime::choose_device(shared.options.device),
                           .seconds = given->seconds,
                           .seed = shared.options.seed.value_or(experiment.seed),
                           .batches = given->batches};
    settings.precision = runtime::choose_precision(shared.options.precision, settings.device);
    if (given->tokens > 0) settings.shape.tokens = given->tokens;
    runtime::keep_freed_memory();
    runtime::keep_generated_code();
    const data::Prepared data(experiment.data);
    const auto speed = time_training(data.train, settings);
    shared.output.show(as_json(speed, given->shape, settings), as_text(speed, given->shape, settings));
    return static_cast<int>(apps::kDone);
  };
}

Command add_prepare(CLI::App& app, const Shared& shared) {
  const auto config = std::make_shared<std::string>();
  auto* command = app.add_subcommand("prepare", "Text to ids, as transformer-prepare encodes it");
  command
      ->add_option("--config", *config,
                   "Configuration file whose training text, the source side, is encoded with the tokenizer "
                   "in data.prepared")
      ->required()
      ->check(apps::kNotEmpty);
  return [shared, config] {
    const auto options = config::load_given_experiment(*config, shared.options.set).data;
    const data::PreparedFolder folder(options);
    const auto text = data::side_path(options.train, options.source);
    const auto tokenizer = folder.paths.source_tokenizer(folder.shared_vocabulary);
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    const int threads = shared.options.threads > 0 ? shared.options.threads : cores;
    const auto speed = bench_prepare(text, tokenizer, threads);
    shared.output.show(
        {{"benchmark", "prepare"},
         {"text", text.string()},
         {"tokenizer", tokenizer.string()},
         {"threads", threads},
         {"megabytes_per_second", speed.megabytes_per_second},
         {"sentences_per_second", speed.sentences_per_second},
         {"peak_memory_megabytes", speed.peak_megabytes}},
        fmt::format("{:.1f} MB/s, {:.0f} sentences/s on {} threads; peak memory {:.0f} MB",
                    speed.megabytes_per_second, speed.sentences_per_second, threads, speed.peak_megabytes));
    return static_cast<int>(apps::kDone);
  };
}

}  // namespace transformer::bench
