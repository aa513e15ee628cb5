// The programs that a run of a list goes through.
#pragma once

#include <string>
#include <vector>

#include "transformer/experiments/run_folder.h"
#include "transformer/experiments/study.h"

namespace transformer::experiments {

/// The command line of a stage, which is not `nothing`.
std::vector<std::string> stage_command(const Study& study, const Run& run, Stage stage, const Record& record);

/// Throws RunError if a program is missing that one of the runs goes through: before the first training,
/// which may take days.
void check_programs(const Study& study);

}  // namespace transformer::experiments
