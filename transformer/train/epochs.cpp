#include "transformer/train/epochs.h"

#include <spdlog/spdlog.h>

#include "transformer/base/background.h"

namespace transformer::train {

Epoch Epochs::plan(std::int64_t number) const {
  return objective_.epoch(static_cast<std::uint64_t>(seed_), number);
}

const Epoch& Epochs::at(std::int64_t number, std::int64_t wanted) {
  if (epoch_ && number_ == number) return *epoch_;
  const bool planned = next_.valid() && number == number_ + 1;
  epoch_ = planned ? next_.get() : plan(number);
  number_ = number;
  if (wanted > epoch_->plan.size()) next_ = in_background([this, next = number + 1] { return plan(next); });
  spdlog::debug("epoch {}: {} updates, {:.1f} % padding", number, epoch_->plan.size(),
                100 * epoch_->plan.padding_share());
  return *epoch_;
}

}  // namespace transformer::train
