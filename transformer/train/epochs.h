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

  /// An epoch by its number. This invalidates references to the previous epoch. If the epoch has fewer than
  /// `wanted` updates left, another thread starts to plan the next one.
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
