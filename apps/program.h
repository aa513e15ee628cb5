// What every program shares: common options, messages, exit statuses.
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace transformer::apps {

struct CommonOptions {
  std::vector<std::string> set;      ///< `key.path=value`, laid over the configuration file in this order
  std::string device = "auto";       ///< cpu, cuda or auto
  std::string precision = "auto";    ///< fp32, bf16, int8 or auto
  int threads = 0;                   ///< inside operations; 0: as many as LibTorch finds cores
  std::optional<std::int64_t> seed;  ///< overrides the configuration's
  std::string log_level = "info";    ///< trace, debug, info, warning, error or off
  bool quiet = false;                ///< warnings and errors only
};

enum ExitStatus {
  kDone = 0,
  kFailed = 1,         ///< on the program's own account
  kBadInput = 2,       ///< bad input or usage
  kInterrupted = 130,  ///< by the user, with everything saved
};

/// --set --device --precision --threads --seed --log-level --quiet --version. precisions: those that the
/// program can compute in.
void add_common_options(CLI::App& app, CommonOptions& options,
                        const std::vector<std::string>& precisions = {"fp32", "bf16", "auto"});

/// Parses the command line, sets up messages and threads, runs `body` and returns the program's exit status:
/// that of `body`, or, after one line on standard error, kBadInput for a usage error or an InputError and
/// kFailed for any other exception. A reader of standard output that goes away ends the program with kFailed
/// and no word; output that cannot be written (a full disk) ends it with a message. SIGINT and SIGTERM end it
/// with kInterrupted, and what it was writing vanishes.
int run_program(CLI::App& app, CommonOptions& options, int argc, char** argv,
                const std::function<int()>& body);

/// For a program that has something to save: the first SIGINT or SIGTERM from now on only sets the flag that
/// is returned; the program is to stop by itself then, within seconds. The second one ends it at once.
const std::atomic<bool>& stop_when_signalled();

}  // namespace transformer::apps
