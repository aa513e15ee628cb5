// transformer-average: one model from the last checkpoints of a run (section 6.1 of the paper).
#include "apps/common/last_checkpoints.h"
#include "apps/common/model_output.h"
#include "apps/common/model_overrides.h"
#include "apps/common/not_empty.h"
#include "apps/common/program.h"

namespace {

using namespace transformer;

struct Arguments {
  apps::CommonOptions common;
  std::string run;
  std::string output;
  std::size_t last = 5;
  bool overwrite = false;
};

int average(const Arguments& arguments) {
  const apps::Output output{arguments.output, arguments.overwrite,
                            apps::last_checkpoints({arguments.run}, arguments.last, "--last")};
  apps::check_model_output(output);
  apps::write_mean_model(output,
                         apps::override_model(output.inputs.back(), arguments.common.set, {"decode"}));
  return apps::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Averages the weights of a run's last checkpoints, evenly spaced, into a model directory of its own.",
      "transformer-average");
  Arguments arguments;
  app.add_option("--run", arguments.run, "Run directory")->required()->check(apps::kNotEmpty);
  app.add_option(
         "--last", arguments.last,
         "How many checkpoints to average. Those at multiples of train.save_every count, which are evenly "
         "spaced, and the end of the training (train.steps); what was saved in between, at a stop or "
         "as the best so far, does not. 1: the newest of all. The paper averaged 5 for base and 20 for "
         "big, 10 minutes apart")
      ->check(CLI::Range(1, 1000000).description(""))
      ->capture_default_str();
  app.add_option("--output", arguments.output, "Model directory to create")
      ->required()
      ->check(apps::kNotEmpty);
  app.add_flag("--overwrite", arguments.overwrite, "Replace the output if it is a model that nobody changed");
  apps::add_common_options(app, arguments.common);
  apps::run_program(app, arguments.common, argc, argv, [&] { return average(arguments); });
}
