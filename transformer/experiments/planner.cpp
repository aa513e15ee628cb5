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
#include "transformer/base/error.h"
#include "transformer/base/process.h"
#include "transformer/base/progress.h"
#include "transformer/base/temporary.h"
#include "transformer/base/text_file.h"
#include "transformer/config/yaml.h"
#include "transformer/data/prepared.h"

namespace transformer::experiments {
namespace fs = std::filesystem;
namespace {

ProcessEnd run_to_end(const std::vector<std::string>& command, const ProcessOptions& options,
                      const std::atomic<bool>& interrupted) {
  Process process(command, options);
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

Estimate measure(const Study& study, const config::Variation& variation,
                 const std::atomic<bool>& interrupted) {
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

nlohmann::ordered_json to_json(const Estimate& estimate) {
  return {{"parameters", estimate.parameters},       {"flops", estimate.flops},
          {"source_tokens", estimate.source_tokens}, {"target_tokens", estimate.target_tokens},
          {"peak_memory", estimate.peak_memory},     {"seconds", estimate.seconds}};
}

Estimate from_json(const nlohmann::json& json) {
  return {.parameters = json.at("parameters"),
          .flops = json.at("flops"),
          .source_tokens = json.at("source_tokens"),
          .target_tokens = json.at("target_tokens"),
          .peak_memory = json.at("peak_memory"),
          .seconds = json.at("seconds"),
          .problem = {}};
}

/// Estimates by what they depend on. A cache: what cannot be read is measured again.
nlohmann::json read_cache(const fs::path& file) {
  try {
    return fs::exists(file) ? nlohmann::json::parse(read_file(file)) : nlohmann::json::object();
  } catch (const nlohmann::json::exception&) {
    return nlohmann::json::object();
  }
}

}  // namespace

void prepare_data(const Study& study, bool quiet, const std::atomic<bool>& interrupted) {
  std::vector<data::DataOptions> seen;
  for (const auto& variation : study.list.variations) {
    const auto& options = variation.experiment.data;
    if (std::ranges::find(seen, options) != seen.end()) continue;
    seen.push_back(options);
    if (fs::exists(data::PreparedPaths{options.prepared}.summary())) {
      const data::PreparedFolder whole(options);
      continue;
    }
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

Plan make_plan(const Study& study, bool quiet, const std::atomic<bool>& interrupted) {
  const auto file = study.output / "plan.json";
  auto cache = read_cache(file);
  Plan plan;
  const auto wanted =
      std::ranges::count_if(study.list.variations, [&](const auto& v) { return study.wants(v); });
  Progress progress("plan", wanted, {.quiet = quiet});
  std::int64_t done = 0;
  for (const auto& variation : study.list.variations) {
    if (!study.wants(variation)) continue;
    progress.update(done++, variation.name);
    const auto key = sha256(fmt::format("{}{} {} {}", config::to_yaml(variation.experiment), study.device,
                                        study.precision, study.threads));
    if (cache.contains(key)) {
      plan[variation.name] = from_json(cache[key]);
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
  for (const auto& variation : study.list.variations) {
    if (!study.wants(variation)) continue;
    const auto& estimate = plan.at(variation.name);
    if (!estimate.problem.empty()) {
      text +=
          fmt::format("{:<{}} {:>5} {}\n", variation.name, width, variation.seeds.size(), estimate.problem);
      continue;
    }
    text +=
        fmt::format("{:<{}} {:>5} {:>9.2f} M {:>9.2e} {:>17} {:>7.0f} MiB {:>9}\n", variation.name, width,
                    variation.seeds.size(), static_cast<double>(estimate.parameters) / 1e6, estimate.flops,
                    fmt::format("{:.0f} + {:.0f}", estimate.source_tokens, estimate.target_tokens),
                    estimate.peak_memory / (1 << 20), format_duration(estimate.seconds));
    seconds += estimate.seconds * static_cast<double>(variation.seeds.size());
    longest = std::max(longest, estimate.seconds);
    most = std::max(most, estimate.peak_memory);
  }
  text += fmt::format(
      "\nFLOPs and time are of one training. All of them, {} at once: {}, evaluations and "
      "translations apart.\n",
      study.jobs, format_duration(std::max(longest, seconds / study.jobs)));
  const double there =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  if (study.device != "cuda" && most * study.jobs > there)
    text += fmt::format("They may need {:.1f} GB at once, and the machine has {:.1f}: choose fewer --jobs.\n",
                        most * study.jobs / 1e9, there / 1e9);
  return text;
}

}  // namespace transformer::experiments
