// What every program that computes shares, besides plain_program.h: common options, messages, threads.
#pragma once

#include <functional>

#include "apps/common/common_options.h"
#include "apps/common/plain_program.h"

namespace transformer::apps {

/// run_plain_program() with messages and threads set up as the common options say.
[[noreturn]] void run_program(CLI::App& app, CommonOptions& options, int argc, char** argv,
                              const std::function<int()>& body);

}  // namespace transformer::apps
