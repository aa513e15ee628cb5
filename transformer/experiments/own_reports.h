// The reports in a study's output folder: only those that the runner wrote for this list are written again.
//
// OUTPUT/reports.json names the list, and the checksums of what was written.
#pragma once

#include <map>
#include <string>

#include "transformer/experiments/study.h"

namespace transformer::experiments {

/// "bleu-by-parameters.svg"
std::string picture_of_scores(const eval::Metric& metric);

/// Whether a file of that name in the output folder is the runner's.
bool is_report_file(const std::string& name);

/// Throws InputError when the study's output folder is what another program made: a run, a model, prepared
/// data or an export. Beside the runs of a list may lie anything.
void check_no_other_work(const Study& study);

/// Throws InputError when a report in the study's output folder is not the runner's, was changed since, or is
/// of another list: before there is any work to report of.
void check_reports(const Study& study);

/// Writes files by name, each whole or not at all, after a look as check_reports has it. Where a name is a
/// link, the file that it leads to is written.
void write_reports(const Study& study, const std::map<std::string, std::string>& contents);

}  // namespace transformer::experiments
