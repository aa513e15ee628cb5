#include "apps/train/dry_run_output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "transformer/base/progress.h"

namespace transformer::apps {

void print_dry_run(const train::DryRun& run, bool as_json) {
  if (as_json) {
    const nlohmann::ordered_json json{{"parameters", run.parameters},
                                      {"steps", run.steps},
                                      {"updates_per_epoch", run.updates_per_epoch},
                                      {"source_tokens_per_update", run.source_tokens},
                                      {"target_tokens_per_update", run.target_tokens},
                                      {"flops_per_update", run.flops},
                                      {"micro_tokens", run.micro_tokens},
                                      {"largest_micro_batch",
                                       {{"rows", run.largest_rows},
                                        {"source_length", run.largest_source},
                                        {"target_length", run.largest_target}}},
                                      {"peak_memory_bytes", run.peak_memory},
                                      {"seconds_per_update", run.seconds},
                                      {"seconds", run.total_seconds()}};
    fmt::print("{}\n", json.dump());
    return;
  }
  const auto row = [](std::string_view name, const std::string& value) {
    fmt::print("{:<24}{}\n", name, value);
  };
  row("parameters", fmt::format("{}", run.parameters));
  row("updates",
      fmt::format("{}, {:.1f} epochs", run.steps, static_cast<double>(run.steps) / run.updates_per_epoch));
  row("an update", fmt::format("{:.0f} source and {:.0f} target tokens, {:.2e} FLOPs, {:.3g} s",
                               run.source_tokens, run.target_tokens, run.flops, run.seconds));
  row("train.micro_tokens", fmt::format("{}", run.micro_tokens));
  row("largest micro-batch", fmt::format("{} × ({} source and {} target tokens)", run.largest_rows,
                                         run.largest_source, run.largest_target));
  row("peak memory", fmt::format("{:.0f} MiB", run.peak_memory / (1 << 20)));
  row("training", format_duration(run.total_seconds()) + ", evaluations apart");
}

}  // namespace transformer::apps
