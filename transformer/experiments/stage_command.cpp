#include "transformer/experiments/stage_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include "transformer/base/error.h"
#include "transformer/config/keys.h"
#include "transformer/data/prepared.h"

namespace transformer::experiments {
namespace {

using Arguments = std::vector<std::string>;

void append(Arguments& arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
}

/// What a model makes of a set, "dev" or "test", goes to `output`.
std::vector<std::string> judge(const Study& study, const Run& run, const std::string& set,
                               const std::string& model, const std::string& output,
                               const std::string& precision) {
  const auto& data = run.experiment.data;
  const data::PreparedPaths paths{data.prepared};
  Arguments arguments{"--model", model};
  if (is_of_predictions(run.experiment)) {
    append(arguments, {"--metric", run.experiment.train.metric, "--output", output, "--overwrite"});
    append(arguments,
           data.examples == data::ExampleKind::documents
               ? Arguments{"--data", set == "test" ? paths.test() : paths.dev()}
               : Arguments{"--source", paths.source_text(set), "--target", paths.target_text(set)});
    return command(study, "transformer-score", arguments, precision);
  }
  append(arguments, {"--input", paths.source_text(set), "--output", output, "--overwrite"});
  if (has_parts(data.examples)) {
    arguments.emplace_back("--labels");
    return command(study, "transformer-label", arguments, precision);
  }
  for (const auto& key : config::keys())
    if (key.name.starts_with("decode."))
      append(arguments, {"--set", fmt::format("{}={}", key.name, key.get(run.experiment))});
  append(arguments, {"--set", "decode.nbest=1"});  // a line each, which is scored
  return command(study, "transformer-translate", arguments, precision);
}

}  // namespace

std::vector<std::string> stage_command(const Study& study, const Run& run, Stage stage,
                                       const Record& record) {
  const auto& folder = run.folder;
  if (stage == Stage::train)
    return command(study, "transformer-train",
                   {"--config", folder.config(), "--run", folder.training(), "--resume"});
  const auto average = run.variation->average;
  if (stage == Stage::average)
    return command(study, "transformer-average",
                   {"--run", folder.training(), "--last", std::to_string(average), "--output", folder.model(),
                    "--overwrite"});
  const std::string set = stage == Stage::test ? "test" : "dev";
  const auto model = average > 1 ? folder.model() : folder.last_checkpoint();
  // With `auto`, a result is judged in the precision of its training, whenever that happens.
  return judge(study, run, set, model, folder.judged(run.experiment, set),
               study.precision == "auto" ? record.precision : study.precision);
}

void check_programs(const Study& study) {
  for (const auto& run : runs_of(study))
    for (const auto stage : {Stage::train, Stage::average, Stage::decode}) {
      if (stage == Stage::average && run.variation->average <= 1) continue;
      const auto program = stage_command(study, run, stage, {}).front();
      if (access(program.c_str(), X_OK) != 0)
        throw RunError(fmt::format("{}: expected a program, which {} needs, found none that can be run",
                                   program, run.name));
    }
}

}  // namespace transformer::experiments
