#include "transformer/eval/perplexity.h"

#include <cmath>
#include <limits>

namespace transformer::eval {
namespace {

struct PerplexityCounts {
  std::int64_t cross_entropy = 0;  ///< in units of kNat
  std::int64_t tokens = 0;
  std::int64_t impossible = 0;  ///< tokens without a finite logarithm
};

constexpr double kNat = 1e9;  // units; a sum of 64 bits holds nine thousand million nats

PerplexityCounts counts_of(std::span<const Prediction> predictions) {
  PerplexityCounts counts{.tokens = std::ssize(predictions)};
  double nats = 0;
  for (const auto& prediction : predictions) {
    if (std::isfinite(prediction.log_probability))
      nats -= prediction.log_probability;
    else
      ++counts.impossible;
  }
  counts.cross_entropy = std::llround(nats * kNat);
  return counts;
}

double perplexity(const PerplexityCounts& counts) {
  if (counts.impossible > 0) return std::numeric_limits<double>::infinity();
  if (counts.tokens == 0) return 1;
  return std::exp(static_cast<double>(counts.cross_entropy) / kNat / static_cast<double>(counts.tokens));
}

}  // namespace

Metric perplexity_metric() {
  return {
      .name = "Perplexity",
      .fields = {{"unit", "subword"}},
      .less_is_better = true,
      .most = std::numeric_limits<double>::infinity(),
      .count_predictions =
          [](std::span<const Prediction> predictions) { return to_counts(counts_of(predictions)); },
      .score =
          [](std::span<const std::int64_t> sum) { return perplexity(from_counts<PerplexityCounts>(sum)); },
      .detail = [](std::span<const std::int64_t>) { return std::string(); }};
}

}  // namespace transformer::eval
