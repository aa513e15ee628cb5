// What a training has measured so far: its metrics.jsonl, which may be written to at this moment.
#pragma once

#include <filesystem>
#include <string>

#include "transformer/report/report.h"

namespace transformer::experiments {

/// Fills steps, seconds, FLOPs and the learning curve of a run, with what stands under the key `score`. A
/// line that is cut off, or is none of ours, is passed over.
void read_metrics(const std::filesystem::path& metrics, const std::string& score, report::Run& run);

}  // namespace transformer::experiments
