// Keys that change no result.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "transformer/config/experiment.h"

namespace transformer::experiments {

/// Whether it decides when patience ends a run, which is patient or was.
inline bool decides_end(std::string_view key, const config::Experiment& experiment) {
  return key == "train.patience" ||
         (experiment.train.patience > 0 && (key == "train.eval_every" || key == "train.metric_every"));
}

/// How often a run is looked at and saved: of no interest in a table of results, unless it decides its end.
inline bool is_bookkeeping(std::string_view key, const config::Experiment& experiment) {
  constexpr std::array<std::string_view, 4> keys = {"train.eval_every", "train.save_every", "train.log_every",
                                                    "train.keep"};
  return std::ranges::find(keys, key) != keys.end() && !decides_end(key, experiment);
}

}  // namespace transformer::experiments
