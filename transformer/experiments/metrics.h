// What a training has measured so far: its metrics.jsonl, which may be written to at this moment.
#pragma once

#include <filesystem>

#include "transformer/report/report.h"

namespace transformer::experiments {

/// Fills steps, seconds, FLOPs and the learning curve of a run. A line that is cut off, or is none of ours,
/// is passed over.
void read_metrics(const std::filesystem::path& metrics, report::Run& run);

}  // namespace transformer::experiments
