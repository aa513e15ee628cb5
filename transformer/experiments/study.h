// A list of experiments and how it is to be run: what planner, runner and report share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "transformer/experiments/experiment_list.h"
#include "transformer/experiments/run_folder.h"

namespace transformer::experiments {

struct Study {
  ExperimentList list;
  std::filesystem::path output = {};
  std::filesystem::path programs;  ///< the folder of transformer-train and its siblings
  std::string device = "auto";     ///< as programs take them
  std::string precision = "auto";
  int threads = 0;                     ///< of each program
  int jobs = 1;                        ///< runs at once
  std::vector<std::string> load = {};  ///< shared libraries for each program
  std::vector<std::string> only = {};  ///< experiments to work on besides the baseline; empty: all

  bool wants(const Variation& variation) const;
};

/// One experiment with one seed.
struct Run {
  const Variation* variation;
  config::Experiment experiment;  ///< with that seed
  RunFolder folder;
  std::string name;  ///< "a-heads-1, seed 2"
};

/// The experiments in a text of names with commas between them; a grid's names may have commas of their own.
/// Throws InputError for a word that is no experiment's name.
std::vector<std::string> names_in(const ExperimentList& list, const std::string& text);

/// All runs, row by row.
std::vector<Run> runs_of(const Study& study);

/// The command line of a program with the study's device, precision, threads and shared libraries.
std::vector<std::string> command(const Study& study, const std::string& program,
                                 const std::vector<std::string>& arguments,
                                 const std::string& precision = "");

/// Throws InputError when an experiment keeps or makes fewer checkpoints than are to be averaged.
void check_averages(const ExperimentList& list);

/// Throws InputError when test sets are to be translated and an experiment has none.
void check_tests(const ExperimentList& list);

/// Gives all experiments the seeds 1 to `seeds`, and `average` checkpoints to be averaged; 0 leaves what the
/// list says. Throws InputError as check_averages and check_tests do.
void override_rows(ExperimentList& list, std::int64_t seeds, std::int64_t average);

/// Throws InputError if a run was begun with another precision. It could only go on in its own, and it is too
/// valuable to restart because of a forgotten option.
void check_precision(const Study& study);

/// The last lines of a file, without blank ones; none where it cannot be read.
std::vector<std::string> last_lines(const std::filesystem::path& file, std::size_t most);

}  // namespace transformer::experiments
