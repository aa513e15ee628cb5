#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <set>

#include "apps/bench/commands.h"
#include "apps/common/group_program.h"
#include "apps/common/not_empty.h"
#include "transformer/base/error.h"
#include "transformer/base/output_place.h"
#include "transformer/base/text_file.h"
#include "transformer/config/yaml.h"
#include "transformer/data/prepared.h"
#include "transformer/runtime/device.h"
#include "transformer/runtime/device_choices.h"
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

void check_trace(const std::string& file, const distributed::Group* group) {
  if (file.empty()) return;
  if (group) throw InputError("--trace: expected one process, found several");
  check_output_file(file, {});
  if (fs::exists(file))
    throw InputError(
        fmt::format("--trace {}: expected nothing there, found a file, which is not replaced", file));
}

/// The shape of that name; the configuration's own model if it is `config`.
Shape chosen_shape(const std::string& name, const config::Experiment& experiment,
                   const std::vector<std::string>& set) {
  if (name == "config") return {experiment.model, 2048};
  auto shape = shape_of(name);
  for (const auto& change : set)
    if (change.starts_with("model."))
      throw InputError(
          fmt::format("--set {}: expected --shape config, which has the configuration's model, "
                      "found --shape {}",
                      change, name));
  return shape;
}

}  // namespace

Command add_train(CLI::App& app, const Shared& shared) {
  struct Arguments {
    std::string config, shape = "small", batches, trace;
    std::set<std::string> without;
    bool mark = false;
    std::int64_t tokens = 0, accumulate = 1;
    apps::GroupOptions group;
    double seconds = 30;
  };
  const auto given = std::make_shared<Arguments>();
  auto* command = app.add_subcommand("train", "Updates of a model on a prepared data set");
  command
      ->add_option("--config", given->config,
                   "Configuration file whose data.prepared is trained on, with its train.bucket_tokens "
                   "if it says so, otherwise in batches of like lengths")
      ->required()
      ->check(apps::kNotEmpty);
  command
      ->add_option("--shape", given->shape,
                   "small (3 layers, d_model 256), base or big (the paper's), or config: the configuration's "
                   "own model")
      ->capture_default_str();
  command
      ->add_option("--tokens", given->tokens,
                   "Target tokens of a batch; by default 4096, 2048 or 1024; with config 2048")
      ->check(CLI::Range(0, 1'000'000'000).description(""));
  command->add_option("--accumulate", given->accumulate, "Batches of an update")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 20).description(""))
      ->capture_default_str();
  apps::add_group_options(*command, given->group);
  command->add_option("--seconds", given->seconds, "How long to measure, after 12 batches of warm-up")
      ->check(CLI::Range(1e-3, 1e6).description(""))
      ->capture_default_str();
  command->add_option(
      "--write-batches", given->batches,
      "Write each update's sentence numbers to this file, one update a line; - is standard output");
  command
      ->add_option(
          "--without", given->without,
          "What is not to be done for a device's speed, to see what it is worth: next-batch (the next "
          "update's batch is made while the device computes), recurring-shapes (batches are filled up to "
          "numbers of tokens that recur), short-attention (short sentences do not go through "
          "FlashAttention), own-kernels (softmax with loss, dropout and norms), graphs (an update is one "
          "launch); several with commas between")
      ->delimiter(',')
      ->check(CLI::IsMember({"next-batch", "recurring-shapes", "short-attention", "own-kernels", "graphs"}));
  command
      ->add_option("--trace", given->trace,
                   "After the measurement, write what an update does, kernel by kernel, to this file, in "
                   "Chrome's trace format")
      ->check(apps::kNotEmpty);
  command->add_flag("--mark-update", given->mark,
                    "After the measurement, begin and end CUDA's profiler around an update: for ncu "
                    "--profile-from-start off");
  const auto measure = [shared, given](distributed::Group* group) {
    const auto experiment = config::load_given_experiment(given->config, shared.options.set);
    check_batches(given->batches);
    check_trace(given->trace, group);
    TrainSettings settings{.shape = chosen_shape(given->shape, experiment, shared.options.set),
                           .device = runtime::choose_device(apps::device_for(group, shared.options.device)),
                           .seconds = given->seconds,
                           .seed = experiment.seed,
                           .accumulate = given->accumulate,
                           .bucket_tokens = experiment.train.bucket_tokens,
                           .group = group,
                           .batches = given->batches,
                           .prepare_next = !given->without.contains("next-batch"),
                           .trace = given->trace,
                           .mark = given->mark};
    if (given->mark && !settings.device.is_cuda())
      throw InputError(fmt::format("--mark-update: expected a CUDA device, found {}", settings.device.str()));
    if (group && !group->leads()) settings.batches.clear();
    settings.precision = runtime::choose_precision(shared.options.precision, settings.device);
    if (given->tokens > 0) settings.shape.tokens = given->tokens;
    if (given->without.contains("recurring-shapes")) runtime::device_choices().recurring_shapes = false;
    if (given->without.contains("short-attention")) runtime::device_choices().short_attention = 0;
    if (given->without.contains("own-kernels")) runtime::device_choices().own_kernels = false;
    if (given->without.contains("graphs")) runtime::device_choices().graphs = false;
    runtime::keep_freed_memory();
    runtime::keep_generated_code();
    const data::Prepared data(experiment.data);
    if (!data.train.has_source())
      throw InputError(
          fmt::format("{}: expected sentence pairs, found documents", data.paths.train().string()));
    const auto speed = time_training(data.train, settings);
    if (!group || group->leads())
      shared.output.show(as_json(speed, given->shape, settings), as_text(speed, given->shape, settings));
    return static_cast<int>(apps::kDone);
  };
  return [=] { return apps::run_in_group(given->group, shared.argc, shared.argv, measure); };
}

}  // namespace transformer::bench
