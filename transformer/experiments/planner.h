// Estimates of a study's time and memory, measured on a few updates of each experiment before any run begins.
#pragma once

#include <atomic>
#include <map>
#include <string>

#include "transformer/data/options.h"
#include "transformer/experiments/study.h"

namespace transformer::experiments {

/// An estimate for one run.
struct Estimate {
  std::int64_t parameters = 0;
  double flops = 0;                             ///< of the whole training; 0: not known
  double source_tokens = 0, target_tokens = 0;  ///< real tokens per update
  double peak_memory = 0;                       ///< bytes, with the largest micro-batch
  double seconds = 0;                           ///< of the whole training, without evaluations
  std::string problem = {};                     ///< why there is no estimate, or empty
  /// A file that is needed to prepare the data and is missing; empty if there is none. If it is missing,
  /// parameters and FLOPs are computed from the configuration, and memory and time are not known.
  std::string missing = {};
  bool finished = false;  ///< all its runs are finished, and nothing was measured before
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

/// Measures each experiment whose data are prepared by transformer-train --dry-run, one after another.
/// OUTPUT/plan.json keeps earlier measurements with the same configuration, device, precision and threads. An
/// experiment whose runs are all finished is not measured.
Plan make_plan(const Study& study, bool quiet, const std::atomic<bool>& interrupted);

/// A table for people; the time of all is of the runs that are not finished.
std::string describe(const Plan& plan, const Study& study);

}  // namespace transformer::experiments
