// Options of programs that draw texts.
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

#include "transformer/search/sampling.h"

namespace transformer::apps {

/// --repetition-penalty --temperature --top-k --top-p --min-p, in the order in which they narrow a draw.
std::vector<CLI::Option*> add_sampling_options(CLI::App& app, search::SamplingOptions& options);

}  // namespace transformer::apps
