// The page of runs that transformer-inspect --run writes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/common/program.h"

namespace transformer::apps {

struct RunPageRequest {
  std::vector<std::string> runs;
  std::string output;
  std::string over = "step";
  double smooth = 0;
  std::int64_t watch = 0;  ///< seconds between two pages; 0: one alone
  bool overwrite = false;
};

/// Adds --run to a group of subjects, and to the program the options that go with it.
void add_run_options(CLI::App& app, CLI::App& subjects, RunPageRequest& request);

/// Writes the page, once or until somebody stops it, and returns the exit status. Throws InputError for
/// folders that are no runs, and for an output that is not to be replaced.
int write_run_page(const RunPageRequest& request);

}  // namespace transformer::apps
