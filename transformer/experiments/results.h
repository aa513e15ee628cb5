// From what lies on disk to a report, at any time, also while the runs are at work.
#pragma once

#include "transformer/experiments/study.h"
#include "transformer/report/report.h"

namespace transformer::experiments {

/// All rows of the study with what is known of them. Figures of runs whose configuration or data have
/// changed since are not among them. An experiment without a run has as many parameters as its configuration
/// says where its data are not prepared yet; with one, their absence is an InputError.
report::Report collect_results(const Study& study);

/// Writes report.md, report.csv, report.html and the pictures into the study's output folder. Throws
/// InputError as check_reports does (own_reports.h).
void write_report(const Study& study);

/// The same while runs are at work, which must not end for a report: where it throws InputError, this warns.
void update_report(const Study& study);

}  // namespace transformer::experiments
