#include "transformer/experiments/planner.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "transformer/base/atomic_file.h"
#include "transformer/base/checksums.h"
#include "transformer/base/choices.h"
#include "transformer/base/error.h"
#include "transformer/base/process.h"
#include "transformer/base/progress.h"
#include "transformer/base/temporary.h"
#include "transformer/base/text_file.h"
#include "transformer/config/yaml.h"
#include "transformer/data/corpus.h"
#include "transformer/data/prepared.h"
#include "transformer/data/summary.h"
#include "transformer/distributed/placement.h"
#include "transformer/experiments/plan_file.h"
#include "transformer/experiments/run_folder.h"
#include "transformer/train/cost.h"
#include "transformer/train/epoch_steps.h"

namespace transformer::experiments {
namespace fs = std::filesystem;
namespace {

ProcessEnd run_to_end(const std::vector<std::string>& command, const ProcessOptions& options,
                      const std::atomic<bool>& interrupted) {
  auto alone = options;
  alone.without = {distributed::kPlacingVariables.begin(), distributed::kPlacingVariables.end()};
  Process process(command, alone);
  for (;;) {
    if (const auto end = process.poll()) return *end;
    if (interrupted) throw Interrupted();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

/// What a failed program said last, without the word "error: ".
std::string last_words(const fs::path& log, const ProcessEnd& end) {
  const auto lines = last_lines(log, 1);
  if (lines.empty()) return end.describe();
  constexpr std::string_view kMark = "error: ";
  return lines.back().starts_with(kMark) ? lines.back().substr(kMark.size()) : lines.back();
}

Estimate measure(const Study& study, const Variation& variation, const std::atomic<bool>& interrupted) {
  const Temporary folder(study.output / "plan", Temporary::Kind::folder);
  const auto config = folder.path() / "config.yaml", output = folder.path() / "output",
             log = folder.path() / "log";
  write_file_atomically(config, config::to_yaml(variation.experiment));
  const auto end =
      run_to_end(command(study, "transformer-train", {"--config", config, "--dry-run", "--json", "--quiet"}),
                 {.output = output, .errors = log}, interrupted);
  Estimate estimate;
  if (!end.good()) {
    estimate.problem = last_words(log, end);
    return estimate;
  }
  const auto json = nlohmann::json::parse(read_file(output));
  estimate.parameters = json.at("parameters");
  estimate.flops = json.at("flops_per_update").get<double>() * json.at("steps").get<double>();
  estimate.source_tokens = json.at("source_tokens_per_update");
  estimate.target_tokens = json.at("target_tokens_per_update");
  estimate.peak_memory = json.at("peak_memory_bytes");
  estimate.seconds = json.at("seconds");
  return estimate;
}

/// For sentences of so many tokens, as transformer-inspect has it.
constexpr double kSentence = 30;

/// What the configuration alone tells.
Estimate reckon(const config::Experiment& experiment, std::string missing) {
  const auto [source, target] = data::vocabulary_sizes(experiment.data);
  const auto cost = train::reckon_cost(experiment, {source, target}, kSentence);
  return {.parameters = cost.parameters,
          .flops = experiment.train.epochs > 0 ? 0 : cost.flops * static_cast<double>(experiment.train.steps),
          .source_tokens = cost.source_tokens,
          .target_tokens = cost.target_tokens,
          .missing = std::move(missing)};
}

/// How many of an experiment's runs are not finished.
std::int64_t runs_left(const Study& study, const Variation& variation) {
  return std::ranges::count_if(runs_of(study), [&](const Run& run) {
    return run.variation == &variation &&
           !is_finished(run.folder, run.experiment, variation.average, study.list.test);
  });
}

}  // namespace

bool is_prepared(const data::DataOptions& options) {
  return fs::exists(data::PreparedPaths{options.prepared}.summary());
}

std::string missing_text(const data::DataOptions& options) {
  if (is_prepared(options)) return "";
  for (const auto& [name, texts] : data::splits_of(options))
    for (const auto& text : texts)
      if (!text.empty())
        for (const auto& side : data::side_files(text, options))
          if (!fs::exists(side.path)) return side.path.string();
  return !options.tokenizer.empty() && !fs::exists(options.tokenizer) ? options.tokenizer : "";
}

namespace {

/// Throws InputError for data in the folder of an experiment's runs, which would be in each other's way.
void check_beside_runs(const Study& study, const Variation& variation) {
  const auto folder = fs::weakly_canonical(variation.experiment.data.prepared);
  const auto& all = study.list.variations;
  const auto other = std::ranges::find(all, folder.filename().string(), &Variation::name);
  if (other != all.end() && folder.parent_path() == fs::weakly_canonical(study.output))
    throw InputError(fmt::format(
        "{}: key 'data.prepared': expected another folder than that of the runs of '{}', found {}",
        variation.name, other->name, variation.experiment.data.prepared));
}

/// Throws InputError for two experiments that would each make the same folder another one.
void check_prepared_folders(const Study& study) {
  const auto& list = study.list;
  std::vector<const Variation*> firsts;  // of each folder
  for (const auto& variation : list.variations) {
    const auto& options = variation.experiment.data;
    if (options.prepared.empty()) continue;  // refused by who prepares
    const auto first = std::ranges::find_if(
        firsts, [&](const auto* other) { return other->experiment.data.prepared == options.prepared; });
    if (first == firsts.end()) {
      check_beside_runs(study, variation);
      firsts.push_back(&variation);
      continue;
    }
    const auto difference = data::first_difference(data::content_options((*first)->experiment.data),
                                                   data::content_options(options));
    if (difference)
      throw InputError(
          fmt::format("{}: key 'data.prepared': expected a folder of its own, since {} in experiment '{}', "
                      "found {} for both",
                      variation.name, *difference, (*first)->name, options.prepared));
  }
}

}  // namespace

void prepare_data(const Study& study, Preparing which, bool quiet, const std::atomic<bool>& interrupted) {
  check_prepared_folders(study);
  std::vector<data::DataOptions> seen;
  for (const auto& variation : study.list.variations) {
    const auto& options = variation.experiment.data;
    if (std::ranges::find(seen, options) != seen.end()) continue;
    seen.push_back(options);
    if (is_prepared(options)) {
      const data::PreparedFolder whole(options);
      if (study.list.test && !whole.has_test)
        throw InputError(fmt::format(
            "{}: expected a test set, which the list's 'test' asks for, found none: run transformer-prepare "
            "--overwrite",
            options.prepared));
      continue;
    }
    if (which == Preparing::possible && !missing_text(options).empty()) continue;
    spdlog::info("preparing {}", options.prepared);
    const Temporary folder(study.output / "prepare", Temporary::Kind::folder);
    const auto config = folder.path() / "config.yaml", log = folder.path() / "log";
    write_file_atomically(config, config::to_yaml(variation.experiment));
    std::vector<std::string> line{study.programs / "transformer-prepare", "--config", config};
    if (quiet) line.emplace_back("--quiet");
    const auto end = run_to_end(line, {.errors = log}, interrupted);
    if (end.good()) continue;
    const auto reason = fmt::format("{}: {}", variation.name, last_words(log, end));
    if (end.status == 2) throw InputError(reason);
    throw RunError(reason);
  }
}

void count_epochs(Study& study) {
  for (auto& variation : study.list.variations) {
    auto& experiment = variation.experiment;
    if (experiment.train.epochs > 0 && is_prepared(experiment.data))
      experiment = train::with_steps(experiment);
  }
  check_averages(study.list);
}

Plan make_plan(const Study& study, bool quiet, const std::atomic<bool>& interrupted) {
  const auto file = study.output / "plan.json";
  auto cache = read_plan_file(file);
  Plan plan;
  const auto wanted =
      std::ranges::count_if(study.list.variations, [&](const auto& v) { return study.wants(v); });
  Progress progress("plan", wanted, {.quiet = quiet});
  std::int64_t done = 0;
  for (const auto& variation : study.list.variations) {
    if (!study.wants(variation)) continue;
    progress.update(done++, variation.name);
    if (auto missing = missing_text(variation.experiment.data); !missing.empty()) {
      plan[variation.name] = reckon(variation.experiment, std::move(missing));
      continue;
    }
    const auto data = is_prepared(variation.experiment.data) ? checksum_of_data(variation.experiment) : "";
    const auto key = sha256(fmt::format("{}{} {} {} {}", config::to_yaml(variation.experiment), study.device,
                                        study.precision, study.threads, data));
    if (cache.contains(key)) {
      plan[variation.name] = from_json(cache[key]);
      continue;
    }
    if (runs_left(study, variation) == 0) {
      plan[variation.name] = {.finished = true};
      continue;
    }
    const auto& estimate = plan[variation.name] = measure(study, variation, interrupted);
    if (!estimate.problem.empty()) {
      spdlog::warn("{}: no estimate: {}", variation.name, estimate.problem);
      continue;
    }
    cache[key] = to_json(estimate);
    write_file_atomically(file, cache.dump(1) + "\n");
  }
  return plan;
}

std::string describe(const Plan& plan, const Study& study) {
  std::size_t width = 10;
  for (const auto& variation : study.list.variations) width = std::max(width, variation.name.size());
  auto text = fmt::format("{:<{}} {:>5} {:>11} {:>9} {:>17} {:>11} {:>9}\n", "experiment", width, "seeds",
                          "parameters", "FLOPs", "tokens an update", "memory", "time");
  double seconds = 0, longest = 0, most = 0;
  std::map<std::string, std::int64_t> missing;  // files, with the number of experiments that lack them
  std::int64_t measured = 0, without_plan = 0;
  for (const auto& variation : study.list.variations) {
    if (!study.wants(variation)) continue;
    const auto& estimate = plan.at(variation.name);
    if (estimate.finished || !estimate.problem.empty()) {
      without_plan += estimate.finished ? 0 : 1;
      text += fmt::format("{:<{}} {:>5} {}\n", variation.name, width, variation.seeds.size(),
                          estimate.finished ? "finished" : estimate.problem);
      continue;
    }
    const bool known = estimate.missing.empty();
    const auto flops = estimate.flops > 0 ? fmt::format("{:.2e}", estimate.flops) : std::string("?");
    text += fmt::format("{:<{}} {:>5} {:>9.2f} M {:>9} {:>17} {:>11} {:>9}\n", variation.name, width,
                        variation.seeds.size(), static_cast<double>(estimate.parameters) / 1e6, flops,
                        fmt::format("{:.0f} + {:.0f}", estimate.source_tokens, estimate.target_tokens),
                        known ? fmt::format("{:.0f} MiB", estimate.peak_memory / (1 << 20)) : "?",
                        known ? format_duration(estimate.seconds) : "?");
    if (!known) {
      ++missing[estimate.missing];
      continue;
    }
    const auto left = runs_left(study, variation);
    if (left == 0) continue;
    ++measured;
    seconds += estimate.seconds * static_cast<double>(left);
    longest = std::max(longest, estimate.seconds);
    most = std::max(most, estimate.peak_memory);
  }
  text += "\nFLOPs and time are of one training.";
  text += measured > 0
              ? fmt::format(" All{}, {} at once: {}, evaluations and translations apart.\n",
                            missing.empty() && without_plan == 0 ? " of them" : " whose time is known",
                            study.jobs, format_duration(std::max(longest, seconds / study.jobs)))
              : "\n";
  for (const auto& [file, experiments] : missing)
    text += fmt::format(
        "{} is missing: parameters and FLOPs of {} experiments are reckoned with data.vocabulary pieces and "
        "sentences of {} tokens; memory and time will be measured once their data can be prepared.\n",
        file, experiments, kSentence);
  for (const auto& variation : study.list.variations)
    if (const auto uncounted = train::uncounted_flops(variation.experiment, variation.name);
        study.wants(variation) && !uncounted.empty())
      text += uncounted + ".\n";
  const double there =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  if (!study.device.starts_with("cuda") && most * study.jobs > there)
    text += fmt::format("They may need {:.1f} GB at once, and the machine has {:.1f}: choose fewer --jobs.\n",
                        most * study.jobs / 1e9, there / 1e9);
  return text;
}

}  // namespace transformer::experiments
