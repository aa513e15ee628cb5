// The files in a run's folder (run_folder.h) by which its dev or test set is judged.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "transformer/eval/metric.h"

namespace transformer::experiments {

/// Throws InputError, naming the file, where its SHA-256 is not `sum`, which it had when it was made; empty:
/// not known.
void check_sum(const std::filesystem::path& file, const std::string& sum);

/// The lines of such a file, one for each sentence, after check_sum(). Throws InputError, naming the file,
/// where their number is another.
eval::Sentences read_judged(const std::filesystem::path& file, const std::string& sum,
                            const eval::Sentences& references);

/// A metric's counts of each sentence, from its translation or from the counts that transformer-score wrote.
/// Throws InputError, naming the file, for counts that the metric cannot have.
std::vector<eval::Counts> counts_in(const eval::Metric& metric, const eval::Sentences& lines,
                                    const eval::Sentences& references, const std::filesystem::path& file);

}  // namespace transformer::experiments
