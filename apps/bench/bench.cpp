// transformer-bench: how fast this machine multiplies, trains, decodes and prepares.
#include "apps/bench/commands.h"

int main(int argc, char** argv) {
  using namespace transformer;
  CLI::App app(
      "Measures how fast this machine multiplies matrices, copies memory, attends, trains, decodes and "
      "prepares text. A model's speed in training is printed beside the machine's own, measured in the same "
      "run.",
      "transformer-bench");
  app.require_subcommand(1);
  app.fallthrough();
  apps::CommonOptions options;
  bench::Output output;
  app.add_flag("--json", output.json, "One JSON object a line");
  app.add_option("--append", output.append, "Append the JSON objects to this file, too");
  apps::add_common_options(app, options, {"fp32", "tf32", "bf16", "fp16", "int8", "auto"});

  const bench::Shared shared{options, output, argc, argv};
  const std::map<std::string, bench::Command> commands = {
      {"gemm", bench::add_gemm(app, shared)},           {"copy", bench::add_copy(app, shared)},
      {"attention", bench::add_attention(app, shared)}, {"layers", bench::add_layers(app, shared)},
      {"train", bench::add_train(app, shared)},         {"decode", bench::add_decode(app, shared)},
      {"generate", bench::add_generate(app, shared)},   {"prepare", bench::add_prepare(app, shared)}};
  apps::run_program(app, options, argc, argv, [&] {
    output.check();
    return commands.at(app.get_subcommands().front()->get_name())();
  });
}
