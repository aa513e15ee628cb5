// A list of experiments as it stands in its files, before the experiments are made. For experiment_list.cpp.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "transformer/config/experiment_list.h"

namespace transformer::config {

/// One key with one value, or with several of which each makes an experiment.
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
  std::string group = {}, config = {};  ///< empty where not given
  std::vector<Setting> set = {};
  std::vector<Scaling> scale = {};
  std::vector<std::int64_t> seeds = {};
  PublishedFigures paper = {};
};

struct ExperimentEntries {
  std::string title, base, output, base_origin;
  std::vector<std::int64_t> seeds;
  std::int64_t average = 0;  ///< 0 where not given
  std::vector<Setting> set;
  std::vector<ExperimentEntry> experiments;
};

/// Reads a list and those that it extends. Throws InputError for keys that do not exist and values of the
/// wrong kind; whether settings are valid shows when the experiments are made.
ExperimentEntries read_experiment_entries(const std::filesystem::path& file);

}  // namespace transformer::config
