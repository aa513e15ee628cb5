#include "transformer/distributed/placement.h"

#include <cstdlib>
#include <map>

#include "tests/catch.h"
#include "transformer/base/error.h"

namespace transformer::distributed {
namespace {

using Variables = std::map<std::string, std::string>;

std::optional<Placement> place(const Variables& variables) {
  return find_placement([&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

/// The message about these variables.
std::string refusal(const Variables& variables) {
  try {
    place(variables);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

Variables without(Variables variables, const std::string& name) {
  variables.erase(name);
  return variables;
}

Variables with(Variables variables, const std::string& name, const std::string& value) {
  variables[name] = value;
  return variables;
}

// Variables that torchrun --nnodes 2 --nproc-per-node 2 --rdzv-endpoint node1:29400 sets for the last
// process.
const Variables torchrun = {{"LOCAL_RANK", "1"},
                            {"RANK", "3"},
                            {"GROUP_RANK", "1"},
                            {"ROLE_RANK", "3"},
                            {"ROLE_NAME", "default"},
                            {"LOCAL_WORLD_SIZE", "2"},
                            {"WORLD_SIZE", "4"},
                            {"GROUP_WORLD_SIZE", "2"},
                            {"ROLE_WORLD_SIZE", "4"},
                            {"MASTER_ADDR", "node1"},
                            {"MASTER_PORT", "40123"},
                            {"TORCHELASTIC_RESTART_COUNT", "2"},
                            {"TORCHELASTIC_MAX_RESTARTS", "3"},
                            {"TORCHELASTIC_RUN_ID", "none"},
                            {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                            {"OMP_NUM_THREADS", "1"}};

// What srun --nodes 3 --ntasks 6 gives to the fourth.
const Variables slurm = {{"SLURM_JOB_ID", "1234567"},
                         {"SLURM_STEP_ID", "0"},
                         {"SLURM_PROCID", "3"},
                         {"SLURM_LOCALID", "1"},
                         {"SLURM_NODEID", "1"},
                         {"SLURM_NTASKS", "6"},
                         {"SLURM_STEP_NUM_TASKS", "6"},
                         {"SLURM_STEP_NODELIST", "gpu[07-08,11]"},
                         {"SLURM_JOB_NODELIST", "gpu[01-12]"}};

// What mpirun -n 4 gives to the third, all on one machine.
const Variables open_mpi = {{"OMPI_COMM_WORLD_RANK", "2"},   {"OMPI_COMM_WORLD_LOCAL_RANK", "2"},
                            {"OMPI_COMM_WORLD_SIZE", "4"},   {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                            {"OMPI_UNIVERSE_SIZE", "4"},     {"OMPI_MCA_ess_base_jobid", "2139422721"},
                            {"PMIX_NAMESPACE", "2139422721"}};

TEST_CASE("a process that no launcher began is on its own") {
  CHECK_FALSE(place({}));
  CHECK_FALSE(place({{"HOME", "/root"}, {"MASTER_ADDR", "node1"}, {"MASTER_PORT", "29500"}}));
  CHECK_FALSE(place({{"RANK", ""}, {"WORLD_SIZE", ""}}));  // set to nothing is not set
  // A shell that salloc opened, or the script of sbatch: a job, but not one of srun's tasks.
  CHECK_FALSE(place(without(slurm, "SLURM_STEP_NUM_TASKS")));
}

TEST_CASE("torchrun's variables tell everything") {
  const Placement expected{.rank = 3,
                           .local_rank = 1,
                           .size = 4,
                           .address = "node1",
                           .port = 40123,
                           .store_is_hosted = true,
                           .run = "none/2"};
  CHECK(place(torchrun) == expected);
  // Others that speak as it does, say Kubernetes' operator, have no store.
  auto plain = expected;
  plain.store_is_hosted = false;
  plain.run = "run/0";
  CHECK(place({{"RANK", "3"},
               {"LOCAL_RANK", "1"},
               {"WORLD_SIZE", "4"},
               {"MASTER_ADDR", "node1"},
               {"MASTER_PORT", "40123"}}) == plain);
  plain.run = "none/2";
  CHECK(place(with(torchrun, "TORCHELASTIC_USE_AGENT_STORE", "False")) == plain);
}

TEST_CASE("the only process of a run is on its own, unless a launcher waits for it at a store") {
  auto alone = with(with(with(torchrun, "RANK", "0"), "LOCAL_RANK", "0"), "WORLD_SIZE", "1");
  CHECK(place(alone)->size == 1);
  CHECK_FALSE(place(without(alone, "TORCHELASTIC_USE_AGENT_STORE")));
  CHECK_FALSE(
      place(with(with(with(slurm, "SLURM_PROCID", "0"), "SLURM_LOCALID", "0"), "SLURM_STEP_NUM_TASKS", "1")));
}

TEST_CASE("srun's variables tell who is who; the first node and the job's number where they meet") {
  const Placement expected{.rank = 3,
                           .local_rank = 1,
                           .size = 6,
                           .address = "gpu07",
                           .port = 24567,  // 20000 and the number's last four digits
                           .run = "slurm/1234567.0"};
  CHECK(place(slurm) == expected);
  auto elsewhere = expected;
  elsewhere.address = "10.0.0.7";
  elsewhere.port = 5000;
  CHECK(place(with(with(slurm, "MASTER_ADDR", "10.0.0.7"), "MASTER_PORT", "5000")) == elsewhere);
}

TEST_CASE("mpirun's variables tell who is who; several machines need an address") {
  const Placement expected{.rank = 2,
                           .local_rank = 2,
                           .size = 4,
                           .address = "127.0.0.1",
                           .port = 21199,  // 20000 and the last four digits of the CRC-32C of the job's name
                           .run = "mpi/2139422721"};
  CHECK(place(open_mpi) == expected);
  CHECK(place(without(open_mpi, "OMPI_MCA_ess_base_jobid")) == expected);  // from Open MPI 5 on
  CHECK(place(without(open_mpi, "PMIX_NAMESPACE")) == expected);
  const auto two_machines =
      with(with(open_mpi, "OMPI_COMM_WORLD_LOCAL_SIZE", "2"), "OMPI_COMM_WORLD_LOCAL_RANK", "0");
  CHECK(refusal(two_machines) ==
        "environment: MASTER_ADDR is not set, which OMPI_COMM_WORLD_SIZE on several machines needs");
  auto elsewhere = expected;
  elsewhere.local_rank = 0;
  elsewhere.address = "node1";
  elsewhere.port = 1;
  CHECK(place(with(with(two_machines, "MASTER_ADDR", "node1"), "MASTER_PORT", "1")) == elsewhere);
}

TEST_CASE("two jobs of mpirun on one machine meet in two places") {
  auto other = place(with(open_mpi, "PMIX_NAMESPACE", "2139422722"));
  CHECK(other->port == 20555);
  CHECK(other->run == "mpi/2139422722");
  // Of a launcher that names no job nothing is known.
  other = place(without(without(open_mpi, "PMIX_NAMESPACE"), "OMPI_MCA_ess_base_jobid"));
  CHECK(other->port == 29500);
  CHECK(other->run == "mpi/");
}

TEST_CASE("without the variables that place a process it is on its own") {
  for (auto variables : {torchrun, slurm, open_mpi}) {
    for (const auto* name : kPlacingVariables) variables.erase(name);
    CHECK_FALSE(place(variables));
  }
}

TEST_CASE("of several launchers the innermost counts: torchrun under srun, srun under mpirun") {
  auto both = slurm;
  both.insert(torchrun.begin(), torchrun.end());
  CHECK(place(both) == place(torchrun));
  both = open_mpi;
  both.insert(slurm.begin(), slurm.end());
  CHECK(place(both) == place(slurm));
}

TEST_CASE("a variable that is missing is named, with the one that asks for it") {
  const auto missing = [](const Variables& variables, const std::string& name) {
    return refusal(without(variables, name));
  };
  CHECK(missing(torchrun, "RANK") == "environment: RANK is not set, which WORLD_SIZE needs");
  CHECK(missing(torchrun, "WORLD_SIZE") == "environment: WORLD_SIZE is not set, which RANK needs");
  CHECK(missing(torchrun, "LOCAL_RANK") == "environment: LOCAL_RANK is not set, which RANK needs");
  CHECK(missing(torchrun, "MASTER_ADDR") == "environment: MASTER_ADDR is not set, which WORLD_SIZE needs");
  CHECK(missing(torchrun, "MASTER_PORT") == "environment: MASTER_PORT is not set, which WORLD_SIZE needs");
  CHECK(missing(slurm, "SLURM_PROCID") ==
        "environment: SLURM_PROCID is not set, which SLURM_STEP_NUM_TASKS needs");
  CHECK(missing(slurm, "SLURM_LOCALID") == "environment: SLURM_LOCALID is not set, which SLURM_PROCID needs");
  CHECK(missing(slurm, "SLURM_STEP_NODELIST") ==
        "environment: SLURM_STEP_NODELIST is not set, which SLURM_STEP_NUM_TASKS needs");
  CHECK(missing(slurm, "SLURM_JOB_ID") ==
        "environment: SLURM_JOB_ID is not set, which SLURM_STEP_NUM_TASKS needs");
  CHECK(missing(open_mpi, "OMPI_COMM_WORLD_RANK") ==
        "environment: OMPI_COMM_WORLD_RANK is not set, which OMPI_COMM_WORLD_SIZE needs");
}

TEST_CASE("a variable that is no good is named, with what it may be") {
  const auto bad = [](const std::string& name, const std::string& value) {
    return refusal(with(torchrun, name, value));
  };
  CHECK(bad("RANK", "4") == "environment: RANK: expected a whole number from 0 to 3, found '4'");
  CHECK(bad("RANK", "-1") == "environment: RANK: expected a whole number from 0 to 3, found '-1'");
  CHECK(bad("RANK", "1 ") == "environment: RANK: expected a whole number from 0 to 3, found '1 '");
  CHECK(bad("RANK", "one") == "environment: RANK: expected a whole number from 0 to 3, found 'one'");
  CHECK(bad("LOCAL_RANK", "4") == "environment: LOCAL_RANK: expected a whole number from 0 to 3, found '4'");
  CHECK(bad("WORLD_SIZE", "0") ==
        "environment: WORLD_SIZE: expected a whole number from 1 to 1048576, found '0'");
  CHECK(bad("WORLD_SIZE", "99999999999999999999") ==
        "environment: WORLD_SIZE: expected a whole number from 1 to 1048576, found '99999999999999999999'");
  CHECK(bad("MASTER_PORT", "0") ==
        "environment: MASTER_PORT: expected a whole number from 1 to 65535, found '0'");
  CHECK(bad("MASTER_PORT", "65536") ==
        "environment: MASTER_PORT: expected a whole number from 1 to 65535, found '65536'");
  CHECK(refusal(with(slurm, "SLURM_JOB_ID", "x")) ==
        "environment: SLURM_JOB_ID: expected a whole number from 0 to 9223372036854775807, found 'x'");
}

TEST_CASE("the first of Slurm's list of nodes") {
  CHECK(first_node("x") == "x");
  CHECK(first_node("x,y") == "x");
  CHECK(first_node("x,a[03-05]") == "x");
  CHECK(first_node("a[03-05,9],b") == "a03");  // zeros in front belong to the name
  CHECK(first_node("a[7]") == "a7");
  CHECK(first_node("n[1,7]-ib") == "n1-ib");
  CHECK(first_node("n[1,7]-ib,m") == "n1-ib");
  CHECK(first_node("node-12,node-13") == "node-12");
  CHECK(first_node("gpu-a[001-128]") == "gpu-a001");
  CHECK(first_node("rack[2-3]-node[04-31],login") == "rack2-node04");
  CHECK_THROWS_WITH(first_node("a[03"),
                    "environment: SLURM_STEP_NODELIST: expected a list of nodes, found 'a[03'");
}

TEST_CASE("this process's own variables") {
  const auto environment = process_environment();
  ::setenv("TRANSFORMER_TEST_VARIABLE", "value", 1);
  CHECK(environment("TRANSFORMER_TEST_VARIABLE") == "value");
  ::unsetenv("TRANSFORMER_TEST_VARIABLE");
  CHECK(environment("TRANSFORMER_TEST_VARIABLE") == std::nullopt);
}

}  // namespace
}  // namespace transformer::distributed
