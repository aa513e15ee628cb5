#include "apps/inspect/run.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <thread>

#include "apps/common/not_empty.h"
#include "apps/common/translation_output.h"
#include "transformer/base/choices.h"
#include "transformer/base/error.h"
#include "transformer/base/text_file.h"
#include "transformer/checkpoints/model_files.h"
#include "transformer/config/yaml.h"
#include "transformer/report/run_page.h"

namespace transformer::apps {
namespace {

namespace fs = std::filesystem;

/// CLI::Range takes a NaN for a number in it.
std::string check_weight(const std::string& value) {
  double weight = 0;
  const bool good = CLI::detail::lexical_cast(value, weight) && weight >= 0 && weight < 1;
  return good ? "" : fmt::format("expected a number from 0 to below 1, found '{}'", value);
}

std::string note(std::time_t now, std::int64_t watch) {
  return fmt::format("As of {:%Y-%m-%d %H:%M:%S}{}.", fmt::localtime(now),
                     watch == 0 ? "" : fmt::format("; anew every {} s", watch));
}

/// Adds what the run's configuration says. One that cannot be read adds nothing: curves do not need it.
void add_settings(report::WatchedRun& run, const fs::path& folder) {
  try {
    const auto experiment = config::load_resolved_experiment(folder / checkpoints::kConfigFile);
    run.steps = experiment.train.steps;
    for (const auto& difference : config::differences({}, experiment))
      run.settings.emplace_back(difference.key, difference.right);
  } catch (const InputError&) {
  }
}

/// All files of the runs except pages. A page must not replace any of them.
std::vector<fs::path> files_of(const std::vector<fs::path>& folders) {
  std::vector<fs::path> files;
  for (const auto& folder : folders)
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().extension() != ".html") files.push_back(entry.path());
  return files;
}

std::string page_of(const RunPageRequest& request, const std::vector<fs::path>& folders) {
  const auto names = report::short_names(folders);
  std::vector<report::WatchedRun> runs;
  for (std::size_t i = 0; i < folders.size(); ++i)
    add_settings(runs.emplace_back(report::read_watched_run(folders[i], names[i])), folders[i]);
  const auto now = std::time(nullptr);
  return report::run_page(runs, {.over = value_named<report::RunAxis>(request.over).value(),
                                 .smooth = request.smooth,
                                 .reload = request.watch,
                                 .note = note(now, request.watch),
                                 .now = static_cast<double>(now)});
}

/// Whether a file is there that may be replaced: the page of the last time. Throws InputError for another
/// one.
bool is_last_page(const std::string& file, const std::string& last) {
  if (!fs::is_regular_file(file)) return false;
  if (fs::file_size(file) == last.size() && read_file(file, last.size()) == last) return true;
  throw InputError(fmt::format(
      "{}: expected the page that was written there, found another file, which is not replaced", file));
}

}  // namespace

void add_run_options(CLI::App& app, CLI::App& subjects, RunPageRequest& request) {
  auto* runs = subjects
                   .add_option("--run", request.runs,
                               "Run directories, over or under way: a page of their curves, and of "
                               "translations over time, goes to --output")
                   ->type_name("DIR")
                   ->check(kNotEmpty);
  app.add_option("--output", request.output, "The page, an HTML file that needs nothing else")
      ->type_name("FILE")
      ->check(kNotEmpty)
      ->needs(runs);
  app.add_flag("--overwrite", request.overwrite, "Replace the page if it exists")->needs(runs);
  app.add_option("--over", request.over, "What curves are drawn over: step, time (of training) or flops")
      ->check(CLI::IsMember(all_names<report::RunAxis>()).description(""))
      ->needs(runs)
      ->capture_default_str();
  app.add_option("--smooth", request.smooth,
                 "Smooth what is measured in training: the weight of the past in a moving average, below 1")
      ->check(CLI::Validator(check_weight, ""))
      ->needs(runs)
      ->capture_default_str();
  app.add_option("--watch", request.watch,
                 "Write the page anew every so many seconds until stopped, and let browsers follow")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, 86400).description(""))
      ->needs(runs);
}

int write_run_page(const RunPageRequest& request) {
  if (request.output.empty())
    throw InputError("--run: expected --output for a page, or --update, found neither");
  const std::vector<fs::path> folders(request.runs.begin(), request.runs.end());
  for (std::string last; true; std::this_thread::sleep_for(std::chrono::seconds(request.watch))) {
    const bool overwrite = last.empty() ? request.overwrite : is_last_page(request.output, last);
    TranslationOutput output(request.output, overwrite, files_of(folders));
    last = page_of(request, folders);
    output.write(last);
    output.finish();
    if (request.watch == 0) return kDone;  // else a signal ends it
  }
}

}  // namespace transformer::apps
