#include "transformer/experiments/kept_runs.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "transformer/base/archive.h"
#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/lock_file.h"
#include "transformer/base/output_place.h"
#include "transformer/base/text_file.h"
#include "transformer/config/yaml.h"
#include "transformer/experiments/judged_files.h"
#include "transformer/experiments/planner.h"
#include "transformer/report/line_value.h"
#include "transformer/report/training_time.h"
#include "transformer/train/step_lines.h"

namespace transformer::experiments {
namespace fs = std::filesystem;
namespace {

/// A place as the user knows it, who does not see what an archive was unpacked to.
std::string shown(const fs::path& place) {
  return intended_place(place).string();
}

[[noreturn]] void refuse_another(const fs::path& place, const std::string& whose, const std::string& how) {
  throw InputError(fmt::format("{}: expected the run of {}, found another one{}", shown(place), whose, how));
}

/// Throws InputError if the file is lost, or is not the one that run.json notes.
void check_judged(const fs::path& file, const std::string& set, const std::string& sum) {
  if (!fs::exists(file))
    throw InputError(fmt::format("{}: expected what the {} set is judged by, found none", shown(file), set));
  check_sum(file, sum);
}

/// Whether the run in a folder is finished as the study asks for. Throws InputError if it is finished, but
/// has another configuration or other data than the study's run, or if something of it is lost.
bool is_whole(const Study& study, const Run& run, const RunFolder& folder, const Record& record) {
  auto experiment = run.experiment;
  const auto average = run.variation->average;
  // How many steps the epochs are is known only once the data are prepared.
  if (auto& train = experiment.train; train.epochs > 0) {
    train.steps = config::load_resolved_experiment(folder.config()).train.steps;
    train.epochs = 0;
  }
  const auto wanted = decoding(experiment, average);
  if (record.failure || record.trained != experiment.train.steps || record.decoded != wanted) return false;
  if (study.list.test && record.tested != wanted) return false;
  check_judged(folder.judged(experiment, "dev"), "dev", record.decoded_sum);
  if (!record.tested.empty()) check_judged(folder.judged(experiment, "test"), "test", record.tested_sum);
  const auto data = is_prepared(experiment.data) ? checksum_of_data(experiment) : "";
  if (const auto changes = what_changed(folder, record, experiment, average, data); !changes.empty())
    refuse_another(folder.path, study.list.file.string(), ": " + changes);
  return true;
}

/// A run's configuration with file names in place of paths. The folders of texts change no result.
config::Experiment without_folders(const RunFolder& folder) {
  auto experiment = config::load_resolved_experiment(folder.config());
  for (auto& path : experiment.data.more_train) path = fs::path(path).filename().string();
  for (auto* path : {&experiment.data.train, &experiment.data.dev, &experiment.data.test,
                     &experiment.data.tokenizer, &experiment.data.prepared, &experiment.train.from})
    *path = fs::path(*path).filename().string();
  return experiment;
}

/// The lines of metrics.jsonl that a report reads.
std::string reported_lines(const fs::path& metrics) {
  std::string kept, before;
  bool is_of_dev = false;  // the line before
  report::TrainingTime time;
  train::for_each_step_line(metrics, [&](const nlohmann::json& json, const std::string& line) {
    const auto seconds = report::line_value(json, "seconds"), when = report::line_value(json, "time");
    if (is_of_dev || (!before.empty() && time.begins_sitting(seconds, when))) kept += before + "\n";
    time.add(seconds, when);
    before = line;
    is_of_dev = json.contains("split") && json["split"] == "dev";
  });
  return before.empty() ? kept : kept + before + "\n";
}

void copy_whole(const fs::path& from, const fs::path& to) {
  write_file_atomically(to, read_file(from));
}

void keep_whole(const RunFolder& from, const config::Experiment& experiment, const RunFolder& to) {
  AtomicDirectory folder(to.path);
  const RunFolder partial{folder.temporary()};
  write_file_atomically(partial.config(), config::to_yaml(without_folders(from)));
  copy_whole(from.record(), partial.record());
  for (const auto* set : {"dev", "test"})
    if (const auto file = from.judged(experiment, set); fs::exists(file))
      copy_whole(file, partial.judged(experiment, set));
  fs::create_directory(partial.training());
  write_file_atomically(partial.metrics(), reported_lines(from.metrics()));
  folder.commit();
}

/// Adds the test set to a run that was kept without it; false if there is nothing to add. Throws InputError
/// if the kept run is another one.
bool add_test(const RunFolder& from, const config::Experiment& experiment, const Record& record,
              const RunFolder& to) {
  const auto kept = read_record(to);
  const auto same = [&](const std::string& set) {
    return read_file(from.judged(experiment, set)) == read_file(to.judged(experiment, set));
  };
  const auto test = to.judged(experiment, "test");
  const bool brings = !record.tested.empty() && kept.tested.empty();
  if (kept.data != record.data || without_folders(from) != without_folders(to) || !same("dev") ||
      (brings && fs::exists(test) && !same("test")))
    refuse_another(to.path, from.path.string(), ", which is not replaced");
  if (!brings) return false;
  if (!fs::exists(test)) copy_whole(from.judged(experiment, "test"), test);
  copy_whole(from.record(), to.record());
  return true;
}

void expect_folder(const fs::path& folder) {
  if (!fs::is_directory(folder))
    throw InputError(fmt::format("{}: expected a folder of runs, found none", folder.string()));
}

/// Calls `copy` with each run that the study works on, and with its folder in `kept`. A refusal is a warning.
void for_each_run(const Study& study, const fs::path& kept, const char* what,
                  const std::function<void(const Run&, const RunFolder&)>& copy) {
  for (const auto& run : runs_of(study)) {
    if (!study.wants(*run.variation)) continue;
    try {
      copy(run, {kept / run.folder.path.lexically_relative(study.output)});
    } catch (const InputError& error) {
      spdlog::warn("{}: not {}: {}", run.name, what, error.what());
    }
  }
}

void keep_in_folder(const Study& study, const fs::path& kept, const Say& say) {
  for_each_run(study, kept, "kept", [&](const Run& run, const RunFolder& to) {
    if (!fs::exists(run.folder.config())) return;
    const auto record = read_record(run.folder);
    if (!is_whole(study, run, run.folder, record)) return;
    if (!lies_at(to.path)) {
      keep_whole(run.folder, run.experiment, to);
    } else if (!add_test(run.folder, run.experiment, record, to)) {
      return;
    }
    say(fmt::format("kept {}", shown(to.path)));
  });
}

void take_from_folder(const Study& study, const fs::path& kept, const Say& say) {
  for_each_run(study, kept, "taken", [&](const Run& run, const RunFolder& from) {
    if (!fs::exists(from.config()) || lies_at(run.folder.path)) return;
    if (!is_whole(study, run, from, read_record(from)))
      throw InputError(fmt::format("{}: expected a finished run of {}, found one that is not",
                                   shown(from.path), study.list.file.string()));
    AtomicDirectory folder(run.folder.path);
    fs::copy(from.path, folder.temporary(), fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    folder.commit();
    say(fmt::format("taken {}", run.folder.path.string()));
  });
}

}  // namespace

void keep_runs(Study study, const fs::path& kept, const Say& say) {
  expect_folder(study.output);
  count_epochs(study);
  if (!names_archive(kept)) {
    check_output_folder(kept);
    check_apart(kept, {study.output});
    return keep_in_folder(study, kept, say);
  }
  check_output_file(kept, {});
  const auto archive = followed(kept);
  const FolderLock lock(parent_folder(archive), "--keep", std::chrono::seconds(30));
  const Temporary opened(archive, Temporary::Kind::folder);
  if (lies_at(archive)) unpack_archive(archive, opened.path());
  std::vector<std::string> copies;  // said when they are there
  keep_in_folder(study, opened.path(), [&](const std::string& line) { copies.push_back(line); });
  if (!copies.empty()) pack_folder(opened.path(), archive);
  std::ranges::for_each(copies, say);
}

void take_runs(Study study, const fs::path& kept, const Say& say) {
  if (!names_archive(kept)) expect_folder(kept);
  check_output_folder(study.output);
  check_apart(study.output, {kept});
  const FolderLock lock(study.output, "runner", std::chrono::seconds(30));
  count_epochs(study);
  if (!names_archive(kept)) return take_from_folder(study, kept, say);
  const Temporary opened(study.output / kept.filename(), Temporary::Kind::folder);
  unpack_archive(kept, opened.path());
  take_from_folder(study, opened.path(), say);
}

}  // namespace transformer::experiments
