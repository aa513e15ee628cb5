// transformer-experiments: Table 3 of the paper, or any other list of experiments: plan, run, report.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "apps/common/not_empty.h"
#include "apps/common/program.h"
#include "apps/common/standard_output.h"
#include "transformer/base/error.h"
#include "transformer/base/lock_file.h"
#include "transformer/base/output_place.h"
#include "transformer/base/temporary.h"
#include "transformer/experiments/kept_runs.h"
#include "transformer/experiments/own_reports.h"
#include "transformer/experiments/planner.h"
#include "transformer/experiments/results.h"
#include "transformer/experiments/runner.h"
#include "transformer/experiments/stage_command.h"

namespace {

using namespace transformer;
namespace fs = std::filesystem;

struct Arguments {
  apps::CommonOptions common;
  std::string list, output, keep, take;
  std::vector<std::string> only;
  std::int64_t average = 0, seeds = 0;
  std::optional<std::int64_t> seed;
  int jobs = 1;
  bool plan = false, report = false;
};

experiments::Study make_study(const Arguments& arguments) {
  if (arguments.seed)
    throw InputError("--seed: expected --seeds, or seeds in the list, since there are several");
  experiments::Study study{.list = experiments::load_experiment_list(arguments.list, arguments.common.set),
                           .programs = fs::read_symlink("/proc/self/exe").parent_path(),
                           .device = arguments.common.device,
                           .precision = arguments.common.precision,
                           .threads = arguments.common.threads,
                           .jobs = arguments.jobs,
                           .load = arguments.common.load};
  if (!study.list.note.empty()) spdlog::warn("{}", study.list.note);
  for (const auto& names : arguments.only)
    std::ranges::move(experiments::names_in(study.list, names), std::back_inserter(study.only));
  study.output =
      arguments.output.empty() ? study.list.output : fs::absolute(arguments.output).lexically_normal();
  if (study.output.empty())
    throw InputError(fmt::format("{}: key 'output': expected a folder, here or as --output, found nothing",
                                 arguments.list));
  experiments::override_rows(study.list, arguments.seeds, arguments.average);
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  if (study.threads == 0) study.threads = std::max(1, cores / study.jobs);
  return study;
}

int run(const Arguments& arguments) {
  auto study = make_study(arguments);
  experiments::check_no_other_work(study);
  const auto say = [](const std::string& line) { fmt::print("{}\n", line); };
  if (!arguments.keep.empty()) return experiments::keep_runs(study, arguments.keep, say), apps::kDone;
  if (!arguments.take.empty()) return experiments::take_runs(study, arguments.take, say), apps::kDone;
  if (!arguments.plan) experiments::check_reports(study);
  if (arguments.report) {
    experiments::count_epochs(study);
    experiments::write_report(study);
    fmt::print("{}\n", (study.output / "report.md").string());
    return apps::kDone;
  }
  const auto& interrupted = apps::stop_when_signalled();
  check_output_folder(study.output);
  const FolderLock lock(study.output, "runner", std::chrono::seconds(30));
  remove_abandoned_temporaries(study.output);
  experiments::check_precision(study);
  experiments::check_programs(study);
  experiments::prepare_data(study,
                            arguments.plan ? experiments::Preparing::possible : experiments::Preparing::all,
                            arguments.common.quiet, interrupted);
  experiments::count_epochs(study);
  const auto plan = experiments::make_plan(study, arguments.common.quiet, interrupted);
  if (arguments.plan) {
    fmt::print("{}", experiments::describe(plan, study));
    return apps::kDone;
  }
  apps::print_if_read(experiments::describe(plan, study));
  experiments::write_report(study);
  const auto outcome = experiments::run_all(study, plan,
                                            {.quiet = arguments.common.quiet,
                                             .lock = lock.descriptor(),
                                             .interrupted = interrupted,
                                             .changed = [&] { experiments::update_report(study); }});
  experiments::write_report(study);
  apps::print_if_read(fmt::format("{} runs finished, {} failed: {}\n", outcome.finished, outcome.failed,
                                  (study.output / "report.md").string()));
  if (outcome.interrupted) return apps::kInterrupted;
  return outcome.failed > 0 ? apps::kFailed : apps::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Runs a list of experiments that vary one base, such as the paper's Table 3 "
      "(configs/table3/table.yaml): plans them, trains each, translates the dev set, and reports with "
      "statistics. The same command goes on where it stopped; a run whose configuration changed begins "
      "again. "
      "Keys of a list: base, output, title, extends, relative, seeds, average, set, test, tokenize, "
      "sustained, published, target, experiments, claims. "
      "Keys of an experiment: name, set, scale, config, relative, seeds, average, group, paper. "
      "Keys of a claim: claim, source, row, against, expected (worse, equal, better), within.",
      "transformer-experiments");
  Arguments arguments;
  app.add_option("LIST", arguments.list, "File with the list of experiments")
      ->required()
      ->check(apps::kNotEmpty);
  app.add_option("--output", arguments.output, "Folder for runs and reports (the list's output)")
      ->check(apps::kNotEmpty);
  auto* plan = app.add_flag(
      "--plan", arguments.plan,
      "Only print parameters, FLOPs, memory and the time of what is left (without the texts, the first two)");
  auto* report = app.add_flag("--report", arguments.report, "Only write the report, from the results so far")
                     ->excludes(plan);
  app.add_option("--only", arguments.only,
                 "Work on these experiments, with commas between them, and the base only")
      ->check(apps::kNotEmpty);
  auto* jobs =
      app.add_option(
             "--jobs", arguments.jobs,
             "Runs at a time: each gets its share of the cores, or a GPU, of which several may share one")
          ->check(CLI::Range(1, 1000).description(""))
          ->capture_default_str();
  app.add_option("--seeds", arguments.seeds, "Seeds of each experiment: 1 to this (the list's seeds)")
      ->check(CLI::Range(1, 1000).description(""));
  app.add_option("--average", arguments.average,
                 "Last checkpoints to average (the list's average; the paper's Table 3: 1)")
      ->check(CLI::Range(1, 1000000).description(""));
  auto* keep =
      app.add_option("--keep", arguments.keep,
                     "Only copy what a report needs of the finished runs, without weights, into this folder "
                     "or archive (NAME.tar.zst)");
  auto* take = app.add_option("--take", arguments.take,
                              "Only copy the runs that --keep put into this folder or archive to the output");
  for (auto* copies : {keep->excludes(take), take})
    copies->check(apps::kNotEmpty)->excludes(plan)->excludes(report)->excludes(jobs);
  apps::add_common_options(app, arguments.common);
  apps::add_seed_option(app, arguments.seed, "")->group("");  // which is refused by a better word
  apps::run_program(app, arguments.common, argc, argv, [&] { return run(arguments); });
}
