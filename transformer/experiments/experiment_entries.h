// A list of experiments as it stands in its files, before the experiments are made. For the files beside it
// alone.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "transformer/experiments/experiment_list.h"

namespace transformer::experiments {

/// One key with a value, or with several values, one for each experiment.
struct Setting {
  std::string key;
  std::vector<std::string> values;
  std::string origin;
};

/// One key whose value in the base is multiplied.
struct Scaling {
  std::string key;
  double factor = 1;
  std::string origin;
};

struct ExperimentEntry {
  std::string name, origin;
  std::string group = {}, config = {}, relative = {};  ///< empty where not given
  std::vector<Setting> set = {};
  std::vector<Scaling> scale = {};
  std::vector<std::int64_t> seeds = {};
  report::PaperFigures paper = {};
  std::int64_t average = 0;  ///< 0 where not given
};

struct ClaimEntry {
  report::Claim claim;
  std::string origin;
};

struct ExperimentEntries {
  std::string title, base, output, base_origin, target_origin;
  std::vector<std::int64_t> seeds;
  std::int64_t average = 0;  ///< 0 where not given
  std::vector<Setting> set;
  std::vector<ExperimentEntry> experiments;
  std::optional<bool> test, reach_base;
  std::vector<eval::MetricOptions> tokenize;  ///< empty where not given
  std::optional<double> sustained, target;
  std::vector<report::PublishedSystem> published;  ///< those of an extended list first
  std::vector<ClaimEntry> claims;                  ///< likewise
};

/// Reads a list and those that it extends. Throws InputError for keys that do not exist and values of the
/// wrong kind; whether settings are valid shows when the experiments are made.
ExperimentEntries read_experiment_entries(const std::filesystem::path& file);

/// The experiments of a list, the baseline first. Throws InputError.
std::vector<Variation> make_variations(ExperimentEntries entries, const std::vector<std::string>& overrides);

/// The experiments of a list as changes for any base: numbers become factors, all else is set. `origin` is
/// for messages. Some settings make no sense for a base of another size and are left out:
/// * how often a run is evaluated and saved.
/// * how many checkpoints are averaged.
/// * how many seeds there are.
/// * the paper's parameters.
std::vector<ExperimentEntry> in_proportion(ExperimentEntries entries, const std::string& origin);

}  // namespace transformer::experiments
