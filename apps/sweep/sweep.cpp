// transformer-sweep: which average of checkpoints, beam and length penalty translate best (section 6.1).
#include <fmt/format.h>

#include <algorithm>

#include "apps/common/not_empty.h"
#include "apps/common/program.h"
#include "apps/sweep/run.h"
#include "transformer/config/keys.h"

namespace {

using namespace transformer;

const CLI::Validator kAlpha(
    [](const std::string& value) {
      config::Experiment any;
      const auto* key = config::find_key("decode.alpha");
      return key->set(any, {.text = value}) ? std::string()
                                            : fmt::format("expected {}, found '{}'", key->expected, value);
    },
    "");

void add_options(CLI::App& app, apps::SweepArguments& arguments) {
  app.add_option("--run", arguments.run, "Run directory")->required()->check(apps::kNotEmpty);
  app.add_option(
         "--average", arguments.averages,
         "How many of the last checkpoints to average, counted as by transformer-average; 1: the newest "
         "of all")
      ->delimiter(',')
      ->check(CLI::Range(1, 1000000).description(""))
      ->capture_default_str();
  app.add_option("--beam", arguments.beams, "Hypotheses kept at each step; 1: greedy search")
      ->delimiter(',')
      ->check(CLI::Range(1, 1000).description(""))
      ->capture_default_str();
  app.add_option("--alpha", arguments.alphas,
                 "Strengths of the length penalty; one search serves all of them")
      ->delimiter(',')
      ->check(kAlpha)
      ->capture_default_str();
  app.add_option("--data", arguments.data, "dev or test of the run's prepared data")
      ->check(CLI::IsMember({"dev", "test"}).description(""))
      ->capture_default_str();
  app.add_option(
         "--output", arguments.output,
         "File to which each result is appended as a line of JSON. What it already holds for the same "
         "checkpoints, text and options is not measured again, so an interrupted sweep goes on. - is "
         "standard output")
      ->check(apps::kNotEmpty);
  auto* write = app.add_option("--write", arguments.write,
                               "Model directory to create: the best average, with the best beam and alpha as "
                               "its own, so that transformer-translate --model needs no options")
                    ->type_name("DIR")
                    ->check(apps::kNotEmpty);
  app.add_flag("--overwrite", arguments.overwrite,
               "Replace the directory of --write if it is a model that nobody changed")
      ->needs(write);
  app.add_flag("--json", arguments.json, "Print one JSON object a line instead of a table");
}

/// Each value where it stands first: what is asked for twice is measured once.
template <typename T>
void drop_repeated(std::vector<T>& values) {
  auto kept = values.begin();
  for (const auto value : values)
    if (std::find(values.begin(), kept, value) == kept) *kept++ = value;
  values.erase(kept, values.end());
}

/// → what is best
apps::SweepPoint print(const std::vector<apps::SweepLine>& lines, const apps::SweepArguments& arguments,
                       const apps::SweepSetting& setting) {
  std::vector<apps::SweepRow> rows;
  for (const auto& [row, conditions] : lines) {
    if (arguments.json && arguments.output != "-")  // there they are already
      fmt::print("{}\n", apps::to_line(row, key_of(setting.metric), conditions));
    rows.push_back(row);
  }
  const auto best = apps::best_row(rows, setting.metric).point;
  if (arguments.json) return best;
  fmt::print("{}\nbest: {}\n{}: {} sentences, seconds of the search that all alphas share\n{}|{}\n",
             apps::format_table(rows, setting.metric), apps::describe(best), arguments.data,
             setting.sources.size(), setting.metric.name, setting.signature);
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Translates the dev text with averages of a run's last checkpoints, several beams and length "
      "penalties. Prints the score of each combination: the run's train.metric, or BLEU if that is not a "
      "metric of translations. The other keys of decode are the run's, or those of --set.",
      "transformer-sweep");
  apps::SweepArguments arguments;
  add_options(app, arguments);
  apps::add_common_options(app, arguments.common, {"fp32", "tf32", "bf16", "fp16", "int8", "auto"});
  apps::run_program(app, arguments.common, argc, argv, [&] {
    drop_repeated(arguments.averages);
    drop_repeated(arguments.beams);
    drop_repeated(arguments.alphas);
    apps::Sweep sweep(arguments);
    const auto lines = sweep.run();
    const auto best = print(lines, arguments, sweep.setting());
    if (!arguments.write.empty()) sweep.write(best);
    return apps::kDone;
  });
}
