// Texts of a study's report: what a row changes, and how its figures were made.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "transformer/experiments/study.h"

namespace transformer::experiments {

/// "wmt14/newstest2013": where it lies is nobody's business.
std::string name_of_text(const std::filesystem::path& text);

/// "h 1, d_k 512, d_v 512", with the symbols of the paper's Table 3 where it has them.
std::string changes_of(const config::Experiment& base, const config::Experiment& experiment);

/// Of which checkpoints the figures are, a sentence.
std::string what_is_judged(const ExperimentList& list);

/// "bf16", "bf16 or fp32": as the runs were begun, or, where there are none, will be. Empty for `auto`, which
/// says nothing.
std::string precisions_of(const Study& study, const std::vector<Run>& runs);

/// How many of the trainings were computed on another kind of device than the CPU, a sentence for each; empty
/// where none was.
std::string devices_of(const std::vector<Run>& runs);

}  // namespace transformer::experiments
