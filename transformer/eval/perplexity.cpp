#include "transformer/eval/perplexity.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace transformer::eval {
namespace {

struct EntropyCounts {
  std::int64_t cross_entropy = 0;  ///< in units of kNat
  std::int64_t units = 0;
  std::int64_t impossible = 0;  ///< tokens without a finite logarithm
};

constexpr double kNat = 1e9;  // units; a sum of 64 bits holds nine thousand million nats

using Units = std::int64_t (*)(const Prediction& prediction);

EntropyCounts counts_of(std::span<const Prediction> predictions, Units units) {
  EntropyCounts counts;
  double nats = 0;
  for (const auto& prediction : predictions) {
    counts.units += units(prediction);
    if (std::isfinite(prediction.log_probability))
      nats -= prediction.log_probability;
    else
      ++counts.impossible;
  }
  counts.cross_entropy = std::llround(nats * kNat);
  return counts;
}

/// Of a unit, in nats.
double mean(const EntropyCounts& counts) {
  if (counts.impossible > 0) return std::numeric_limits<double>::infinity();
  if (counts.units == 0) return counts.cross_entropy == 0 ? 0 : std::numeric_limits<double>::infinity();
  return static_cast<double>(counts.cross_entropy) / kNat / static_cast<double>(counts.units);
}

Metric metric_of(const char* name, const char* unit, Units units, double (*score)(double nats)) {
  return {
      .name = name,
      .fields = {{"unit", unit}},
      .less_is_better = true,
      .most = std::numeric_limits<double>::infinity(),
      .count_predictions =
          [=](std::span<const Prediction> predictions) { return to_counts(counts_of(predictions, units)); },
      .score =
          [=](std::span<const std::int64_t> sum) { return score(mean(from_counts<EntropyCounts>(sum))); },
      .detail = [](std::span<const std::int64_t>) { return std::string(); }};
}

double bits(double nats) {
  return nats / std::numbers::ln2;
}

double perplexity(double nats) {
  return std::exp(nats);
}

}  // namespace

Metric perplexity_metric() {
  return metric_of(
      "Perplexity", "subword", [](const Prediction&) { return std::int64_t{1}; }, perplexity);
}

Metric bits_per_character_metric() {
  return metric_of(
      "Bits per character", "character", [](const Prediction& p) { return std::int64_t{p.characters}; },
      bits);
}

Metric bits_per_byte_metric() {
  return metric_of(
      "Bits per byte", "byte", [](const Prediction& p) { return std::int64_t{p.bytes}; }, bits);
}

Metric word_perplexity_metric() {
  return metric_of(
      "Perplexity of a word", "word", [](const Prediction& p) { return std::int64_t{p.words}; }, perplexity);
}

}  // namespace transformer::eval
