#include "transformer/train/run_log.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <cmath>

#include "transformer/base/figure_text.h"
#include "transformer/runtime/device.h"
#include "transformer/train/all_saved.h"

namespace transformer::train {

void log_beginning(Task& task, const TrainedParts& trained, torch::ScalarType precision,
                   std::int64_t processes) {
  const auto frozen = trained.frozen_numbers();
  spdlog::info("{} parameters{}, {}, {} on {}, {}{} threads", trained.trained_numbers(),
               frozen > 0 ? fmt::format(" are trained, {} are frozen", frozen) : "", task.describe_data(),
               runtime::name_of_precision(precision), device_of(task.module()).str(),
               processes > 1 ? fmt::format("{} processes of ", processes) : "", at::get_num_threads());
}

void warn_of_few_checkpoints(const TrainOptions& options) {
  constexpr std::int64_t kUsual = 5;  // 6.1
  const auto count = count_left_checkpoints(options);
  if (count >= kUsual) return;
  spdlog::warn(
      "checkpoints to average: {} will be left (train.steps {}, train.save_every {}, train.keep {}): too few "
      "for the usual mean of the last {}",
      count, options.steps, options.save_every, options.keep, kUsual);
}

void log_skipped(const TrainState& state, const UpdateResult& result) {
  // A NaN's sign would be printed, and both are from 0 on.
  spdlog::warn("step {}: skipped, loss {}, gradient norm {} ({} skipped so far, {} in a row); sentences: {}",
               state.step, std::abs(result.loss), std::abs(result.gradient_norm), state.skipped,
               state.skipped_in_row, fmt::join(result.suspects, ","));
}

RunError too_many_skipped(std::int64_t step, std::int64_t in_row, const checkpoints::RunDirectory& run) {
  return RunError(fmt::format(
      "step {}: {} updates in a row had a NaN or infinite loss or gradient (train.max_skipped); all is "
      "saved. {} names their sentences, which transformer-inspect --config {} --sentences N,... shows; a "
      "lower train.factor, a train.clip or --precision fp32 may help",
      step, in_row, run.log().string(), run.config().string()));
}

void log_overflow(const TrainState& state) {
  spdlog::info("step {}: lost, as its gradient overflowed in fp16: the loss scale is {} now ({} lost so far)",
               state.step, state.loss_scale->value, state.loss_scale->overflows);
}

void log_evaluation(const TrainState& state, const DevEvaluation& dev) {
  const auto metric =
      dev.metric ? fmt::format(" {} {:.2f}", dev.metric->name, dev.metric->value) : std::string();
  spdlog::info("step {} dev loss {:.4f} perplexity {}{} ({:.0f} s)", state.step, dev.loss.loss,
               figure_text(dev.loss.perplexity, 3), metric, dev.seconds);
  if (!std::isfinite(dev.loss.nll))
    spdlog::warn(
        "the loss of the dev set is no number: diverged; a lower train.factor or train.clip may help");
}

void log_interruption(std::int64_t step) {
  spdlog::warn("interrupted after step {}; {}: go on with --resume", step, kAllSaved);
}

void log_end(const TrainState& state, std::int64_t steps) {
  if (state.step > steps)
    spdlog::info("the run is at step {} already, beyond train.steps, {}: nothing was trained", state.step,
                 steps);
  spdlog::info("finished after {} steps{}{}{}", state.step,
               state.finished ? fmt::format(": no improvement in {} evaluations", state.unimproved) : "",
               state.skipped > 0 ? fmt::format(", {} of them skipped", state.skipped) : "",
               state.loss_scale && state.loss_scale->overflows > 0
                   ? fmt::format(", {} of them lost to the loss scale", state.loss_scale->overflows)
                   : "");
  if (state.skipped_in_row > 0)
    spdlog::warn("the last {} updates were skipped, as their loss or gradient was no number",
                 state.skipped_in_row);
}

}  // namespace transformer::train
