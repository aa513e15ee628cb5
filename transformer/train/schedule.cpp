#include "transformer/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "transformer/train/variant_parts.h"

namespace transformer::train {
namespace {

/// Of the way from the end of the warm-up to the last step.
double share_of_decay(const TrainOptions& options, std::int64_t step) {
  const auto done = static_cast<double>(step - options.warmup);
  const auto whole = static_cast<double>(options.steps - options.warmup);
  return whole > 0 ? std::clamp(done / whole, 0.0, 1.0) : 1.0;
}

}  // namespace

double learning_rate(const TrainOptions& options, std::int64_t d_model, std::int64_t step) {
  if (options.variants.schedule) return outside_rate(options, d_model, step);
  const auto s = static_cast<double>(step);
  const auto warmup = static_cast<double>(std::max(options.warmup, std::int64_t{1}));
  switch (options.schedule) {
    case Schedule::noam:
      return options.factor * std::pow(static_cast<double>(d_model), -0.5) *
             std::min(std::pow(s, -0.5), s * std::pow(warmup, -1.5));
    case Schedule::inverse_sqrt:
      return options.factor * std::min(s / warmup, std::sqrt(warmup / s));
    case Schedule::constant:
      return options.factor * std::min(s / warmup, 1.0);
    case Schedule::cosine:
      if (step < options.warmup) return options.factor * s / warmup;
      return options.floor + (options.factor - options.floor) *
                                 (1.0 + std::cos(std::numbers::pi * share_of_decay(options, step))) / 2.0;
    case Schedule::linear:
      if (step < options.warmup) return options.factor * s / warmup;
      return options.factor + (options.floor - options.factor) * share_of_decay(options, step);
  }
  no_such_choice();
}

}  // namespace transformer::train
