// Keys that change no result.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace transformer::experiments {

/// How often a run is looked at and saved: of no interest in a table of results.
inline bool is_bookkeeping(std::string_view key) {
  constexpr std::array<std::string_view, 4> keys = {"train.eval_every", "train.save_every", "train.log_every",
                                                    "train.keep"};
  return std::ranges::find(keys, key) != keys.end();
}

}  // namespace transformer::experiments
