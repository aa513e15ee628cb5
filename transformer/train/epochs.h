// The epochs of a training, one after another.
#pragma once

#include <cstdint>
#include <future>
#include <optional>

#include "transformer/train/task.h"

namespace transformer::train {

class Epochs {
 public:
  /// The objective is used as long as this lives.
  Epochs(const Objective& objective, std::int64_t seed) : objective_(objective), seed_(seed) {}

  /// An epoch by its number; a reference to the one before it is of no use any more. Where it has fewer
  /// updates than are `wanted` from its begin on, the next one is planned meanwhile, on another thread.
  const Epoch& at(std::int64_t number, std::int64_t wanted);

 private:
  Epoch plan(std::int64_t number) const;

  const Objective& objective_;
  std::int64_t seed_;
  std::optional<Epoch> epoch_;
  std::int64_t number_ = -1;
  std::future<Epoch> next_;  ///< number_ + 1
};

}  // namespace transformer::train
