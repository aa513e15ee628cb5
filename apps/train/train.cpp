// transformer-train: trains a model on a prepared data set (section 5 of the paper).
#include <spdlog/spdlog.h>

#include "apps/common/group_program.h"
#include "apps/common/not_empty.h"
#include "apps/common/program.h"
#include "apps/train/dry_run_output.h"
#include "transformer/base/choices.h"
#include "transformer/base/error.h"
#include "transformer/config/yaml.h"
#include "transformer/runtime/device.h"
#include "transformer/runtime/memory.h"
#include "transformer/runtime/product.h"
#include "transformer/tasks/tasks.h"
#include "transformer/train/cost.h"
#include "transformer/train/epoch_steps.h"
#include "transformer/train/run_setup.h"
#include "transformer/train/trainer.h"

namespace {

using namespace transformer;
namespace fs = std::filesystem;

struct Arguments {
  apps::CommonOptions common;
  std::string config;
  std::string run;
  std::optional<std::int64_t> seed;
  bool resume = false;
  bool deterministic = false;
  bool dry_run = false;
  bool json = false;
};

config::Experiment load_experiment(const Arguments& arguments) {
  if (arguments.run.empty() && !arguments.dry_run)
    throw InputError("--run is required (or --dry-run, which writes nothing)");
  if (arguments.config.empty() && (!arguments.resume || arguments.run.empty()))
    throw InputError("--config is required (or --resume with a --run that has begun)");
  auto experiment =
      arguments.config.empty()
          ? config::load_resolved_experiment(train::configuration_of({arguments.run}), arguments.common.set)
          : config::load_given_experiment(arguments.config, arguments.common.set);
  if (arguments.seed) experiment.seed = *arguments.seed;
  return experiment;
}

/// group: the processes that train together, if there are several.
int run_training(const Arguments& arguments, distributed::Group* group) {
  const auto experiment = train::with_steps(load_experiment(arguments));
  if (const auto uncounted = train::uncounted_flops(experiment, "this model"); !uncounted.empty())
    spdlog::warn(uncounted);
  const auto& interrupted = group ? group->interrupted() : apps::stop_when_signalled();
  train::TrainerSettings settings{.run = arguments.run,
                                  .resume = arguments.resume,
                                  .quiet = arguments.common.quiet,
                                  .interrupted = &interrupted,
                                  .group = group};
  const auto device = runtime::choose_device(apps::device_for(group, arguments.common.device));
  settings.precision = runtime::choose_precision(arguments.common.precision, device);
  if (arguments.deterministic) runtime::use_deterministic_algorithms();
  runtime::keep_freed_memory();
  runtime::keep_generated_code();
  const auto task = tasks::make(experiment, {device, settings.precision, interrupted, group});
  if (arguments.dry_run) {
    if (group)
      throw InputError("--dry-run: expected one process, found several: it tries the updates of one");
    constexpr double kSeconds = 5;
    apps::print_dry_run(train::dry_run(*task, experiment, settings.precision, kSeconds, &interrupted),
                        arguments.json);
    return apps::kDone;
  }
  switch (train::train(*task, experiment, settings)) {
    case train::TrainOutcome::finished:
      return apps::kDone;
    case train::TrainOutcome::interrupted:
      return apps::kInterrupted;
  }
  no_such_choice();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Trains a model on the data set that transformer-prepare made. Checkpoints, metrics.jsonl, "
      "samples.jsonl, log.txt and event files for TensorBoard go to the run directory, which "
      "transformer-inspect --run draws.",
      "transformer-train");
  Arguments arguments;
  app.add_option("--config", arguments.config, "Configuration file; with --resume, by default the run's own")
      ->check(apps::kNotEmpty);
  auto* run =
      app.add_option("--run", arguments.run, "Run directory, created if need be")->check(apps::kNotEmpty);
  auto* resume =
      app.add_flag("--resume", arguments.resume, "Continue from the newest complete checkpoint of the run");
  apps::add_seed_option(app, arguments.seed, "Seed of all random numbers, overriding the configuration's");
  app.add_flag("--deterministic", arguments.deterministic,
               "The same numbers each time on a GPU, too (slower; on the CPU they always are the same)");
  auto* dry_run =
      app.add_flag("--dry-run", arguments.dry_run,
                   "Only estimate memory, speed and duration, from some seconds of updates; writes nothing")
          ->excludes(run)
          ->excludes(resume);
  app.add_flag("--json", arguments.json, "With --dry-run: print one JSON object")->needs(dry_run);
  apps::GroupOptions group;
  apps::add_group_options(app, group);
  dry_run->excludes(app.get_option("--processes"));
  apps::add_common_options(app, arguments.common);
  apps::run_program(app, arguments.common, argc, argv, [&] {
    return apps::run_in_group(group, argc, argv,
                              [&](distributed::Group* others) { return run_training(arguments, others); });
  });
}
