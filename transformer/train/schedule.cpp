#include "transformer/train/schedule.h"

#include <algorithm>
#include <cmath>

namespace transformer::train {

double learning_rate(const TrainOptions& options, std::int64_t d_model, std::int64_t step) {
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
  }
  return 0.0;
}

}  // namespace transformer::train
