#include "apps/bench/report.h"

#include <fmt/format.h>

#include "transformer/runtime/device.h"

namespace transformer::bench {
namespace {

constexpr double kGiga = 1e9, kMebi = 1 << 20;

/// Name and seconds of each phase, all workers together.
std::vector<std::pair<std::string, double>> parts_of(const translation::TranslateTimes& times) {
  return {{"tokenizer", times.tokenizer},
          {"encoder", times.model.encode},
          {"decoder", times.model.decoder},
          {"output", times.model.output},
          {"search", times.search}};
}

double total_of(const std::vector<std::pair<std::string, double>>& parts) {
  double total = 0;
  for (const auto& part : parts) total += part.second;
  return total;
}

}  // namespace

Json as_json(const GemmSpeed& speed) {
  return {{"benchmark", "gemm"},
          {"m", speed.shape.m},
          {"n", speed.shape.n},
          {"k", speed.shape.k},
          {"precision", speed.precision},
          {"library", speed.library},
          {"flops_per_second", speed.flops_per_second}};
}

Json as_json(const TrainSpeed& speed, const std::string& shape, const TrainSettings& settings) {
  Json phases = Json::object();
  for (const auto& [name, seconds] : speed.phases.parts()) phases[name] = seconds / speed.phases.total();
  return {{"benchmark", "train"},
          {"shape", shape},
          {"precision", runtime::name_of_precision(settings.precision)},
          {"device", settings.device.str()},
          {"processes", settings.group ? settings.group->size() : 1},
          {"batches_an_update", settings.accumulate},
          {"updates", speed.updates},
          {"seconds_per_update", speed.seconds_per_update},
          {"tokens_per_second", speed.tokens_per_second},
          {"tokens_per_second_p10", speed.least},
          {"tokens_per_second_p90", speed.most},
          {"flops_per_second", speed.flops_per_second},
          {"gemm_peak_flops_per_second", speed.gemm_peak},
          {"share_of_gemm_peak", speed.share_of_peak()},
          {"padding_share", speed.padding},
          {"peak_memory_bytes", speed.peak_memory},
          {"phases", phases}};
}

Json as_json(const DecodeTimings& timings) {
  Json phases = Json::object();
  const auto parts = parts_of(timings.times);
  if (total_of(parts) > 0)  // the modules do not measure them
    for (const auto& [name, seconds] : parts) phases[name] = seconds / total_of(parts);
  return {{"benchmark", "decode"},
          {"precision", timings.setting.precision},
          {"device", timings.setting.device.str()},
          {"workers", timings.setting.workers},
          {"batch_tokens", timings.setting.batch_tokens},
          {"sentences", timings.lines},
          {"output_tokens", timings.output_tokens},
          {"seconds", timings.seconds},
          {"seconds_least", timings.least_seconds},
          {"seconds_most", timings.most_seconds},
          {"sentences_per_second", timings.sentences_per_second()},
          {"tokens_per_second", timings.tokens_per_second()},
          {"flops_per_second", timings.flops_per_second()},
          {"peak_memory_bytes", timings.peak_memory},
          {"phases", phases}};
}

std::string as_text(const DecodeTimings& timings) {
  std::string phases;
  const auto parts = parts_of(timings.times);
  if (total_of(parts) > 0)
    for (const auto& [name, seconds] : parts)
      phases += fmt::format("  {} {:.1f} %", name, 100 * seconds / total_of(parts));
  const bool alone = timings.setting.batch_tokens == 1;
  return fmt::format(
             "{}, {}, {} worker{}: {:.1f} sentences/s, {:.0f} output tokens/s ({:.2f} s, {:.2f} to {:.2f})\n"
             "  {:.1f} GFLOP/s of the model; peak memory {:.0f} MiB\n ",
             timings.setting.precision,
             alone ? "one sentence at a time"
                   : fmt::format("batches of {} tokens", timings.setting.batch_tokens),
             timings.setting.workers, timings.setting.workers == 1 ? "" : "s", timings.sentences_per_second(),
             timings.tokens_per_second(), timings.seconds, timings.least_seconds, timings.most_seconds,
             timings.flops_per_second() / kGiga, timings.peak_memory / kMebi) +
         phases;
}

std::string as_text(const GemmSpeed& speed) {
  return fmt::format("{:>5} x {:>5} x {:>5}  {}  {:<6}  {:>8.1f} GFLOP/s", speed.shape.m, speed.shape.n,
                     speed.shape.k, speed.precision, speed.library, speed.flops_per_second / kGiga);
}

std::string as_text(const TrainSpeed& speed, const std::string& shape, const TrainSettings& settings) {
  std::string phases, division;
  if (settings.accumulate > 1 || settings.group)
    division = fmt::format(", {} batches an update, {} process{}", settings.accumulate,
                           settings.group ? settings.group->size() : 1, settings.group ? "es" : "");
  for (const auto& [name, seconds] : speed.phases.parts())
    phases += fmt::format("  {} {:.1f} %", name, 100 * seconds / speed.phases.total());
  return fmt::format(
             "{} {}{}: {:.0f} target tokens/s (p10 {:.0f}, p90 {:.0f}; {} updates)\n"
             "  {:.1f} GFLOP/s of the model, {:.1f} % of the GEMM peak of {:.1f}; padding {:.1f} %; peak "
             "memory {:.0f} MiB\n ",
             shape, runtime::name_of_precision(settings.precision), division, speed.tokens_per_second,
             speed.least, speed.most, speed.updates, speed.flops_per_second / kGiga,
             100 * speed.share_of_peak(), speed.gemm_peak / kGiga, 100 * speed.padding,
             speed.peak_memory / kMebi) +
         phases;
}

}  // namespace transformer::bench
