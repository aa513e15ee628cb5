// A page of runs, to be watched while they train: curves, and translations of a few sentences over time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "transformer/report/run_series.h"
#include "transformer/report/watched_run.h"

namespace transformer::report {

struct RunPageOptions {
  RunAxis over = RunAxis::step;
  double smooth = 0;        ///< weight of smoothed(), for what is measured in training; 0: as measured
  std::int64_t reload = 0;  ///< seconds after which a browser loads the page anew; 0: never
  std::string note = {};    ///< below the heading, not escaped
  double now = 0;           ///< Unix seconds
};

/// One HTML file that needs nothing else: inline CSS, SVG and a script that shows the numbers under the
/// pointer. At least one run.
std::string run_page(const std::vector<WatchedRun>& runs, const RunPageOptions& options);

}  // namespace transformer::report
