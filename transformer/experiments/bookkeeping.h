// Keys that change no result.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "transformer/config/experiment.h"

namespace transformer::experiments {

/// How often a run is looked at and saved: of no interest in a table of results, unless it decides when
/// patience ends it.
inline bool is_bookkeeping(std::string_view key, const config::Experiment& experiment) {
  constexpr std::array<std::string_view, 4> keys = {"train.eval_every", "train.save_every", "train.log_every",
                                                    "train.keep"};
  if (key == "train.eval_every" && experiment.train.patience > 0) return false;
  return std::ranges::find(keys, key) != keys.end();
}

}  // namespace transformer::experiments
