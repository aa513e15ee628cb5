#include "transformer/distributed/placement.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

#include "transformer/base/crc32c.h"
#include "transformer/base/error.h"

namespace transformer::distributed {
namespace {

constexpr std::uint16_t kUsualPort = 29500;  // torchrun's
constexpr const char *kRank = kPlacingVariables[0], *kWorldSize = kPlacingVariables[1],
                     *kSlurmTasks = kPlacingVariables[2], *kMpiSize = kPlacingVariables[3];

class Variables {
 public:
  explicit Variables(const Environment& environment) : environment_(environment) {}

  std::optional<std::string> text(const std::string& name) const {
    auto value = environment_(name);
    return value && !value->empty() ? value : std::nullopt;
  }

  /// because: what else of the environment asks for it.
  std::string needed(const std::string& name, const std::string& because) const {
    if (auto value = text(name)) return *value;
    throw InputError(fmt::format("environment: {} is not set, which {} needs", name, because));
  }

  std::int64_t number(const std::string& name, const std::string& because, std::int64_t least,
                      std::int64_t most) const {
    const auto value = needed(name, because);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || number < least || number > most)
      throw InputError(fmt::format("environment: {}: expected a whole number from {} to {}, found '{}'", name,
                                   least, most, value));
    return number;
  }

 private:
  const Environment& environment_;
};

/// The names that one kind of launcher gives to the three numbers.
struct Names {
  std::string rank, local_rank, size;
};

constexpr std::int64_t kMostProcesses = 1 << 20;

Placement numbers(const Variables& variables, const Names& names) {
  Placement placement;
  placement.size = variables.number(names.size, names.rank, 1, kMostProcesses);
  placement.rank = variables.number(names.rank, names.size, 0, placement.size - 1);
  placement.local_rank = variables.number(names.local_rank, names.rank, 0, placement.size - 1);
  return placement;
}

std::uint16_t port(const Variables& variables, const std::string& because) {
  return static_cast<std::uint16_t>(variables.number("MASTER_PORT", because, 1, 65535));
}

std::uint16_t port_of_job(std::int64_t number) {
  constexpr std::int64_t kFirst = 20000, kCount = 10000;  // below those that systems give out by themselves
  return static_cast<std::uint16_t>(kFirst + number % kCount);
}

Placement of_torchrun(const Variables& variables) {
  auto placement = numbers(variables, {kRank, "LOCAL_RANK", kWorldSize});
  placement.address = variables.needed("MASTER_ADDR", kWorldSize);
  placement.port = port(variables, kWorldSize);
  placement.store_is_hosted = variables.text("TORCHELASTIC_USE_AGENT_STORE") == "True";
  placement.run = fmt::format("{}/{}", variables.text("TORCHELASTIC_RUN_ID").value_or("run"),
                              variables.text("TORCHELASTIC_RESTART_COUNT").value_or("0"));
  return placement;
}

Placement of_slurm(const Variables& variables) {
  auto placement = numbers(variables, {"SLURM_PROCID", "SLURM_LOCALID", kSlurmTasks});
  if (const auto address = variables.text("MASTER_ADDR"))
    placement.address = *address;
  else
    placement.address = first_node(variables.needed("SLURM_STEP_NODELIST", kSlurmTasks));
  placement.port = variables.text("MASTER_PORT")
                       ? port(variables, kSlurmTasks)
                       : port_of_job(variables.number("SLURM_JOB_ID", kSlurmTasks, 0, INT64_MAX));
  placement.run = fmt::format("slurm/{}.{}", variables.text("SLURM_JOB_ID").value_or(""),
                              variables.text("SLURM_STEP_ID").value_or(""));
  return placement;
}

Placement of_open_mpi(const Variables& variables) {
  auto placement = numbers(variables, {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", kMpiSize});
  const bool one_machine = variables.text("OMPI_COMM_WORLD_LOCAL_SIZE") == std::to_string(placement.size);
  placement.address = one_machine
                          ? variables.text("MASTER_ADDR").value_or("127.0.0.1")
                          : variables.needed("MASTER_ADDR", "OMPI_COMM_WORLD_SIZE on several machines");
  // The job's name: of all versions; of those before 5.
  auto job = variables.text("PMIX_NAMESPACE");
  if (!job) job = variables.text("OMPI_MCA_ess_base_jobid");
  if (variables.text("MASTER_PORT"))
    placement.port = port(variables, kMpiSize);
  else
    placement.port = job ? port_of_job(crc32c(*job)) : kUsualPort;
  placement.run = fmt::format("mpi/{}", job.value_or(""));
  return placement;
}

}  // namespace

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value ? std::optional<std::string>(value) : std::nullopt;
  };
}

std::string first_node(const std::string& list) {
  const auto bracket = list.find_first_of("[,");
  if (bracket == std::string::npos || list[bracket] == ',') return list.substr(0, bracket);
  const auto end = list.find_first_of("-,]", bracket);
  if (end == std::string::npos)
    throw InputError(
        fmt::format("environment: SLURM_STEP_NODELIST: expected a list of nodes, found '{}'", list));
  const auto close = list.find(']', bracket);
  // Behind the brackets the name may go on, with brackets again.
  const auto rest = close == std::string::npos ? std::string() : first_node(list.substr(close + 1));
  return list.substr(0, bracket) + list.substr(bracket + 1, end - bracket - 1) + rest;
}

std::optional<Placement> find_placement(const Environment& environment) {
  const Variables variables(environment);
  Placement placement;
  if (variables.text(kRank) || variables.text(kWorldSize))
    placement = of_torchrun(variables);
  else if (variables.text(kSlurmTasks))
    placement = of_slurm(variables);
  else if (variables.text(kMpiSize))
    placement = of_open_mpi(variables);
  else
    return std::nullopt;
  return placement.size == 1 && !placement.store_is_hosted ? std::nullopt : std::optional(placement);
}

}  // namespace transformer::distributed
