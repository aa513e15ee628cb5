#include "apps/common/group_program.h"

#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "apps/common/plain_program.h"
#include "transformer/base/error.h"
#include "transformer/base/exit_status.h"
#include "transformer/base/log.h"
#include "transformer/distributed/launcher.h"
#include "transformer/runtime/device.h"

namespace transformer::apps {
namespace {

constexpr std::string_view kProcesses = "--processes";

/// This program as it was called, but as one of the processes.
std::vector<std::string> command_of_each(int argc, char** argv) {
  std::vector<std::string> command{"/proc/self/exe"};
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument(argv[i]);
    if (argument == kProcesses)
      ++i;  // its number
    else if (!argument.starts_with(fmt::format("{}=", kProcesses)))
      command.emplace_back(argument);
  }
  return command;
}

/// A pipe, such as a shell's <(…), gives what it has to one process alone.
void refuse_pipes(const std::vector<std::string>& command) {
  constexpr std::string_view kConfig = "--config";
  for (std::size_t i = 1; i < command.size(); ++i) {
    std::string_view file;
    if (command[i - 1] == kConfig) file = command[i];
    if (command[i].starts_with(fmt::format("{}=", kConfig)))
      file = std::string_view(command[i]).substr(kConfig.size() + 1);
    if (!file.empty() && std::filesystem::is_fifo(file))
      throw InputError(fmt::format("--config {}: expected a file, which each of the {} reads, found a pipe",
                                   file, kProcesses));
  }
}

/// Ends this process for what the run ends for, which one of all says aloud.
int end_for(const distributed::Fault& fault, bool speaks) {
  if (!speaks) return fault.status;
  if (fault.status == kBadInput) throw InputError(fault.cause);
  throw RunError(fault.cause);
}

/// One process of the run; what it throws ends the others.
int run_as_member(distributed::Group& group, const std::function<int(distributed::Group*)>& body) {
  distributed::Fault fault;
  try {
    int status = kInterrupted;
    try {
      status = body(&group);
    } catch (const Interrupted&) {  // as all have agreed
    }
    group.leave();
    return status;
  } catch (const distributed::RunEnded& error) {
    fault = error.fault;
  } catch (const InputError& error) {
    fault = group.end_run({fmt::format("rank {}: {}", group.rank(), error.what()), kBadInput});
  } catch (const std::bad_alloc&) {
    fault = group.end_run({fmt::format("rank {}: out of memory", group.rank()), kFailed});
  } catch (const c10::Error& error) {
    fault =
        group.end_run({fmt::format("rank {}: {}", group.rank(), error.what_without_backtrace()), kFailed});
  } catch (const std::exception& error) {
    fault = group.end_run({fmt::format("rank {}: {}", group.rank(), what_of(error)), kFailed});
  }
  return end_for(fault, group.speaks());
}

}  // namespace

void add_group_options(CLI::App& app, GroupOptions& options) {
  app.add_option(std::string(kProcesses), options.processes,
                 "Processes on this machine that work together, each with its share of the cores; on several "
                 "machines torchrun, srun or mpirun begin them (docs/start/cluster.md)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1024}).description(""))
      ->capture_default_str();
  app.add_option("--join-timeout", options.join_timeout,
                 "Seconds that processes wait for each other to begin")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 20).description(""))
      ->capture_default_str();
  app.add_flag("--listen-publicly", options.listen_publicly,
               "Let rank 0 listen at an address that is not private: whoever reaches it can change the run");
}

std::string device_for(const distributed::Group* group, const std::string& device) {
  return group ? runtime::device_of_process(device, group->placement().local_rank) : device;
}

int run_in_group(const GroupOptions& options, int argc, char** argv,
                 const std::function<int(distributed::Group*)>& body) {
  const auto placement = distributed::find_placement(distributed::process_environment());
  if (placement) {
    const auto& interrupted = stop_when_signalled();
    if (options.processes > 1)
      throw InputError(
          fmt::format("--processes: a launcher has begun {} processes already (WORLD_SIZE and the "
                      "like of the environment): leave the option out",
                      placement->size));
    try {
      distributed::Group group(*placement, {.patience = std::chrono::seconds(options.join_timeout),
                                            .listen_publicly = options.listen_publicly,
                                            .interrupted = &interrupted});
      if (placement->rank > 0) start_logging("error");  // what all have to say, rank 0 says
      return run_as_member(group, body);
    } catch (const distributed::JoinFailed& error) {
      return end_for(error.fault, error.speaks);
    }
  }
  if (options.listen_publicly)
    throw InputError(
        "--listen-publicly: expected processes that a launcher has begun, since others listen at "
        "this machine only");
  if (options.processes > 1) {
    const auto command = command_of_each(argc, argv);
    refuse_pipes(command);
    return distributed::launch({command, options.processes, &stop_when_signalled()});
  }
  return body(nullptr);
}

}  // namespace transformer::apps
