// Curves of runs that are watched.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transformer/base/choices.h"
#include "transformer/report/watched_run.h"

namespace transformer::report {

/// What curves are drawn over.
enum class RunAxis {
  step,   ///< updates
  time,   ///< of training, without what lies between two sittings
  flops,  ///< spent on training
};

constexpr const char* name_of(RunAxis axis) {
  switch (axis) {
    case RunAxis::step:
      return "step";
    case RunAxis::time:
      return "time";
    case RunAxis::flops:
      return "flops";
  }
  no_such_choice();
}

struct SeriesPoint {
  double x = 0, y = 0;
};

struct Series {
  std::size_t run = 0;  ///< its place in the list
  bool dev = false;
  std::vector<SeriesPoint> points;  ///< of finite numbers; may be empty
};

/// A key of metrics.jsonl in all runs, for both splits, where it was measured. x is updates, seconds or
/// FLOPs.
std::vector<Series> series_of(const std::vector<WatchedRun>& runs, std::string_view key, RunAxis over);

/// The exponential moving average in which each point weighs `weight` (from 0, and below 1) of what the next
/// does, beginning with the first point: sum(weight^(n-i) y_i) / sum(weight^(n-i)).
std::vector<SeriesPoint> smoothed(std::vector<SeriesPoint> points, double weight);

/// What an axis counts in, so that its numbers are short.
struct Unit {
  double size = 1;
  std::string name;
};

/// "updates", "hours", "10^15 FLOPs": for values up to `most`.
Unit unit_of(RunAxis axis, double most);

/// `name` itself from 0.1 to below 1000, else "10^-3 name" and the like.
Unit decimal_unit(std::string_view name, double most);

}  // namespace transformer::report
