// Copies of finished runs with what a report needs of them, without weights: a list can be run in several
// sittings and on several machines.
//
//     KEPT/NAME/seed-N/config.yaml           paths are reduced to file names
//                      run.json
//                      dev.translation       or dev.METRIC; test.… if the test set was judged, too
//                      train/metrics.jsonl   the dev set's lines, and the last line of each sitting
//
// KEPT is a folder, or an archive of one (archive.h) if its name says so. Both functions go through the runs
// of a study, or those that --only names. A copy appears whole or not at all, and nothing that is there is
// replaced or deleted. A run that cannot be copied is a warning, and the others follow. `say` gets a line for
// each copy: "kept KEPT/NAME/seed-N" or "taken FOLDER".
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "transformer/experiments/study.h"

namespace transformer::experiments {

using Say = std::function<void(const std::string&)>;

/// Copies the finished runs of study.output into `kept`. Runs that are not finished are passed over. A run
/// that was kept before its test set was judged gets that. Throws InputError without a folder of runs.
void keep_runs(Study study, const std::filesystem::path& kept, const Say& say);

/// Copies the runs of `kept` into study.output, where the runner counts them as finished. Runs that the
/// output has already are passed over. A run with another configuration or other data is refused, as far as
/// the data are prepared. Throws InputError if `kept` is no folder and no archive.
void take_runs(Study study, const std::filesystem::path& kept, const Say& say);

}  // namespace transformer::experiments
