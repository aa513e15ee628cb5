// From what lies on disk to a report, at any time, also while the runs are at work.
#pragma once

#include "transformer/experiments/study.h"
#include "transformer/report/report.h"

namespace transformer::experiments {

/// All rows of the study with what is known of them. Figures of runs whose configuration has changed since
/// are not among them. Throws InputError where the prepared data are absent.
report::Report collect_results(const Study& study);

/// Writes report.md, report.csv, report.html and the pictures into the study's output folder.
void write_report(const Study& study);

}  // namespace transformer::experiments
