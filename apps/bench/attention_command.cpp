#include <fmt/format.h>

#include <memory>

#include "apps/bench/attention.h"
#include "apps/bench/commands.h"
#include "transformer/runtime/device.h"
#include "transformer/runtime/memory.h"

namespace transformer::bench {
namespace {

constexpr double kMiB = 1 << 20;

Json as_json(const AttentionSpeed& speed) {
  const auto& s = speed.setting;
  return {{"benchmark", "attention"},
          {"precision", runtime::name_of_precision(s.precision)},
          {"length", s.length},
          {"window", s.window},
          {"causal", s.causal},
          {"d_model", s.d_model},
          {"heads", s.heads},
          {"forward_seconds", speed.forward},
          {"backward_seconds", speed.backward},
          {"memory_bytes", speed.memory}};
}

std::string as_text(const AttentionSpeed& speed) {
  const auto& s = speed.setting;
  return fmt::format("{} positions, {}, {}, {}: forward {:.1f} ms, backward {:.1f} ms, {:.0f} MiB", s.length,
                     s.window == 0 ? "each with all" : fmt::format("each with {} to a side", s.window),
                     s.causal ? "causal" : "both sides", runtime::name_of_precision(s.precision),
                     1e3 * speed.forward, 1e3 * speed.backward, speed.memory / kMiB);
}

}  // namespace

Command add_attention(CLI::App& app, const Shared& shared) {
  auto* command = app.add_subcommand("attention",
                                     "A layer of self-attention over one sequence, forward and backward: "
                                     "whole, or restricted to a window (section 4 "
                                     "of the paper)");
  const auto setting = std::make_shared<AttentionSetting>();
  constexpr int kMost = 1 << 20;
  command->add_option("--length", setting->length, "Positions")
      ->capture_default_str()
      ->check(CLI::Range(1, kMost));
  command->add_option("--window", setting->window, "Positions that a query reaches to a side; 0: all")
      ->capture_default_str()
      ->check(CLI::Range(0, kMost));
  command->add_option("--heads", setting->heads, "Heads of 64 dimensions each")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  command->add_flag("--causal", setting->causal, "No position sees a later one, as in a decoder");
  return [shared, setting] {
    setting->d_model = setting->heads * setting->d_k;
    setting->device = runtime::choose_device(shared.options.device);
    setting->precision = runtime::choose_precision(shared.options.precision, setting->device);
    runtime::keep_freed_memory();
    const auto speed = time_attention(*setting);
    shared.output.show(as_json(speed), as_text(speed));
    return static_cast<int>(apps::kDone);
  };
}

}  // namespace transformer::bench
