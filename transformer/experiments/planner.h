// What a study will take, from a few updates of each experiment, before any is begun.
#pragma once

#include <atomic>
#include <map>
#include <string>

#include "transformer/data/options.h"
#include "transformer/experiments/study.h"

namespace transformer::experiments {

/// Of one run.
struct Estimate {
  std::int64_t parameters = 0;
  double flops = 0;                             ///< of the whole training; 0: not known
  double source_tokens = 0, target_tokens = 0;  ///< real ones an update
  double peak_memory = 0;                       ///< bytes, with the largest micro-batch
  double seconds = 0;                           ///< of the whole training, evaluations apart
  std::string problem = {};                     ///< why there is no estimate, or empty
  /// A file without which the data cannot be prepared: then parameters and FLOPs are reckoned from the
  /// configuration, and memory and time are not known. Empty where it was measured.
  std::string missing = {};
  bool finished = false;  ///< all its runs are, and it was not measured before: nothing else is known
};

/// By the experiments' names.
using Plan = std::map<std::string, Estimate>;

/// Whether an experiment's data are prepared.
bool is_prepared(const data::DataOptions& options);

/// The first file that is missing to prepare an experiment's data: empty where they are prepared or can be.
std::string missing_text(const data::DataOptions& options);

/// Lets transformer-prepare make the data sets that are not there yet; with `possible`, those only that no
/// file is missing for. Throws InputError or RunError with what it says where it fails, InputError for data
/// without the test set that the list wants, Interrupted when it was stopped.
enum class Preparing { all, possible };
void prepare_data(const Study& study, Preparing which, bool quiet, const std::atomic<bool>& interrupted);

/// Says train.steps where the list says train.epochs, for all seeds alike, of each experiment whose data are
/// prepared; then check_averages.
void count_epochs(Study& study);

/// Measures each experiment whose data are prepared with transformer-train --dry-run, one after another. What
/// was measured before, with the same configuration, device, precision and threads, is read from
/// OUTPUT/plan.json, and an experiment whose runs are all finished is not measured.
Plan make_plan(const Study& study, bool quiet, const std::atomic<bool>& interrupted);

/// A table for people; the time of all is of the runs that are not finished.
std::string describe(const Plan& plan, const Study& study);

}  // namespace transformer::experiments
