// What programs share that run as several processes.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>

#include "transformer/distributed/group.h"

namespace transformer::apps {

struct GroupOptions {
  std::int64_t processes = 1;
  std::int64_t join_timeout = 300;  ///< seconds
  bool listen_publicly = false;
};

/// --processes --join-timeout --listen-publicly
void add_group_options(CLI::App& app, GroupOptions& options);

/// Runs `body` in this process, which is one of several where the environment says so (placement.h), and
/// otherwise alone, with null; or begins so many of this program and waits for them. An error of one process
/// ends all, and is said once. To be called from the body of run_program().
int run_in_group(const GroupOptions& options, int argc, char** argv,
                 const std::function<int(distributed::Group*)>& body);

/// --device for this process: one of its own where there are several (runtime::device_of_process).
std::string device_for(const distributed::Group* group, const std::string& device);

}  // namespace transformer::apps
