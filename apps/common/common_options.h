// The options of every program.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace transformer::apps {

struct CommonOptions {
  std::vector<std::string> set;    ///< `key.path=value`, in this order over the configuration file
  std::string device = "auto";     ///< cpu, cuda, cuda:N or auto
  std::string precision = "auto";  ///< fp32, tf32, bf16, fp16, int8 or auto
  int threads = 0;                 ///< inside operations; 0: LibTorch's number of cores
  std::vector<std::string> load;   ///< shared libraries with variants
  std::string log_level = "info";  ///< trace, debug, info, warning, error or off
  bool quiet = false;              ///< warnings and errors only
};

/// --set --load --device --precision --threads --log-level --quiet --version. precisions: those that
/// the program can compute in.
void add_common_options(CLI::App& app, CommonOptions& options,
                        const std::vector<std::string>& precisions = {"fp32", "tf32", "bf16", "fp16",
                                                                      "auto"});

/// --seed, of the programs that draw random numbers.
CLI::Option* add_seed_option(CLI::App& app, std::optional<std::int64_t>& seed, const std::string& help);

}  // namespace transformer::apps
