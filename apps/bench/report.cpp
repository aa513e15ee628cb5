#include "apps/bench/report.h"

#include <fmt/format.h>

namespace transformer::bench {
namespace {

constexpr double kGiga = 1e9, kMebi = 1 << 20;

const char* name_of(torch::ScalarType precision) {
  return precision == torch::kBFloat16 ? "bf16" : "fp32";
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

Json as_json(const TrainSpeed& speed, const std::string& shape, torch::ScalarType precision) {
  Json phases = Json::object();
  for (const auto& [name, seconds] : speed.phases.parts()) phases[name] = seconds / speed.phases.total();
  return {{"benchmark", "train"},
          {"shape", shape},
          {"precision", name_of(precision)},
          {"updates", speed.updates},
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

std::string as_text(const GemmSpeed& speed) {
  return fmt::format("{:>5} x {:>5} x {:>5}  {}  {:<6}  {:>8.1f} GFLOP/s", speed.shape.m, speed.shape.n,
                     speed.shape.k, speed.precision, speed.library, speed.flops_per_second / kGiga);
}

std::string as_text(const TrainSpeed& speed, const std::string& shape, torch::ScalarType precision) {
  std::string phases;
  for (const auto& [name, seconds] : speed.phases.parts())
    phases += fmt::format("  {} {:.1f} %", name, 100 * seconds / speed.phases.total());
  return fmt::format(
             "{} {}: {:.0f} target tokens/s (p10 {:.0f}, p90 {:.0f}; {} updates)\n"
             "  {:.1f} GFLOP/s of the model, {:.1f} % of the GEMM peak of {:.1f}; padding {:.1f} %; peak "
             "memory {:.0f} "
             "MiB\n ",
             shape, name_of(precision), speed.tokens_per_second, speed.least, speed.most, speed.updates,
             speed.flops_per_second / kGiga, 100 * speed.share_of_peak(), speed.gemm_peak / kGiga,
             100 * speed.padding, speed.peak_memory / kMebi) +
         phases;
}

}  // namespace transformer::bench
