// A process's place among those of its run, as launchers tell it by environment variables.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace transformer::distributed {

struct Placement {
  std::int64_t rank = 0;        ///< from 0, of all processes
  std::int64_t local_rank = 0;  ///< from 0, of those on this machine: which GPU it takes
  std::int64_t size = 1;        ///< processes of the run
  std::string address;          ///< where the store listens
  std::uint16_t port = 0;
  bool store_is_hosted = false;  ///< by the launcher; else rank 0 opens it
  std::string run;  ///< sets this attempt apart from others at the same store; the same in all processes

  bool operator==(const Placement&) const = default;
};

/// A variable of the environment; nothing where it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// This process's own.
Environment process_environment();

/// Nothing for a single process, unless a launcher gives it a store. Known launchers:
/// * torchrun and compatible ones: RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT.
/// * Slurm's srun: SLURM_PROCID, SLURM_LOCALID, SLURM_STEP_NUM_TASKS. The address is MASTER_ADDR or else the
///   step's first node. The port is MASTER_PORT or else follows from the job's number.
/// * Open MPI's mpirun: OMPI_COMM_WORLD_RANK, …_LOCAL_RANK, …_SIZE. The address is MASTER_ADDR, or the
///   loopback address if all processes are on one machine. The port is MASTER_PORT or else follows from the
///   job's name (PMIX_NAMESPACE or OMPI_MCA_ess_base_jobid).
///
/// Throws InputError, naming the variable, if one is missing or invalid.
std::optional<Placement> find_placement(const Environment& environment);

/// Which launcher it is. Without any of these find_placement() finds nothing.
inline constexpr std::array<const char*, 4> kPlacingVariables = {"RANK", "WORLD_SIZE", "SLURM_STEP_NUM_TASKS",
                                                                 "OMPI_COMM_WORLD_SIZE"};

/// The first of Slurm's list of nodes: "a[03-05,9],b" begins with "a03".
std::string first_node(const std::string& list);

}  // namespace transformer::distributed
