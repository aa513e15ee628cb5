// The charts of the page of runs.
#pragma once

#include <string>
#include <vector>

#include "transformer/report/run_page.h"

namespace transformer::report {

/// The charts of all that was measured, as HTML figures, each with its numbers in data-curves for the page's
/// script.
std::string run_charts(const std::vector<WatchedRun>& runs, const RunPageOptions& options);

/// What no run has measured.
std::vector<std::string> unmeasured(const std::vector<WatchedRun>& runs);

}  // namespace transformer::report
