#include "transformer/experiments/runner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <list>
#include <set>
#include <sstream>
#include <thread>

#include "transformer/base/checksums.h"
#include "transformer/base/exit_status.h"
#include "transformer/base/process.h"
#include "transformer/base/progress.h"
#include "transformer/distributed/placement.h"
#include "transformer/experiments/stage_command.h"
#include "transformer/train/all_saved.h"
#include "transformer/train/step_lines.h"

namespace transformer::experiments {
namespace {

struct Job {
  const Run* run;
  int failures = 0;
};

/// A run that is worked on.
struct Active {
  Job job;
  int slot;  ///< 0 … jobs - 1: decides which of several GPUs
  Record record;
  Stage stage;
  Process process;
};

/// The GPUs that programs may use, as CUDA_VISIBLE_DEVICES names them; none where there is none.
std::vector<std::string> visible_gpus() {
  std::vector<std::string> names;
  if (const char* given = std::getenv("CUDA_VISIBLE_DEVICES")) {
    std::istringstream list(given);
    for (std::string name; std::getline(list, name, ',');) names.push_back(name);
    return names;
  }
  while (std::filesystem::exists(fmt::format("/dev/nvidia{}", names.size())))
    names.push_back(std::to_string(names.size()));
  return names;
}

class Runner {
 public:
  Runner(const Study& study, const Plan& plan, const RunnerSettings& settings)
      : study_(study), plan_(plan), settings_(settings), runs_(runs_of(study)) {
    std::erase_if(runs_, [&](const Run& run) { return !study.wants(*run.variation); });
    for (const auto& run : runs_) {
      waiting_.push_back({&run});
      if (holds_another(run)) to_begin_anew_.insert(&run);
    }
    std::ranges::stable_sort(waiting_, [&](const Job& a, const Job& b) { return urgency(a) > urgency(b); });
    for (int slot = study.jobs - 1; slot >= 0; --slot) slots_.push_back(slot);
    for (const auto& run : runs_) {
      total_ += weight(run);
      done_at_start_ += weight(run) * share_done(run);
    }
  }

  Outcome run() {
    Progress progress("experiments", static_cast<std::int64_t>(total_),
                      {.quiet = settings_.quiet, .start = static_cast<std::int64_t>(done_at_start_)});
    while (!waiting_.empty() || !active_.empty()) {
      if (settings_.interrupted) return stop();
      while (!waiting_.empty() && !slots_.empty()) {
        const auto job = waiting_.front();
        waiting_.pop_front();
        begin(job);
      }
      for (auto active = active_.begin(); active != active_.end();) {
        const auto end = active->process.poll();
        const auto next = std::next(active);
        if (end) {
          std::list<Active> ended;
          ended.splice(ended.begin(), active_, active);
          slots_.push_back(ended.front().slot);
          take(ended.front(), *end);
        }
        active = next;
      }
      show(progress);
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    progress.finish();
    return outcome_;
  }

 private:
  double weight(const Run& run) const {
    const auto& estimate = plan_.at(run.variation->name);
    return estimate.problem.empty() ? std::max(estimate.seconds, 1.0) : 1.0;
  }

  /// Order of the runs. Trainings that an earlier call finished come first, so that they are counted and
  /// reported before a long run begins. Then comes the base, with which the others are compared, then the
  /// longest run.
  double urgency(const Job& job) const {
    if (share_done(*job.run) >= 1) return 2e30;
    return job.run->variation->name == kBaseline ? 1e30 : weight(*job.run);
  }

  /// Whether the folder holds a run that will be put aside.
  static bool holds_another(const Run& run) {
    return std::filesystem::exists(run.folder.config()) &&
           !what_changed(run.folder, read_record(run.folder), run.experiment, run.variation->average,
                         checksum_of_data(run.experiment))
                .empty();
  }

  double share_done(const Run& run) const {
    if (to_begin_anew_.contains(&run)) return 0;
    const auto step = train::last_step(run.folder.metrics());
    return std::min(1.0, static_cast<double>(step) / static_cast<double>(run.experiment.train.steps));
  }

  void begin(const Job& job) {
    const auto& run = *job.run;
    std::string put_aside;
    auto record = open_run_folder(run.folder, run.experiment, run.variation->average, study_.precision,
                                  checksum_of_data(run.experiment), put_aside);
    to_begin_anew_.erase(&run);
    if (!put_aside.empty())
      spdlog::warn("{}: begins anew, what was there is kept beside it: {}", run.name, put_aside);
    if (!launch_next(job, std::move(record))) ++outcome_.finished;
  }

  /// Begins the next program of a run; false where it needs none.
  bool launch_next(const Job& job, Record record) {
    const auto stage = next_stage(job.run->folder, record, job.run->experiment, job.run->variation->average,
                                  study_.list.test);
    if (stage == Stage::nothing) return false;
    launch(job, std::move(record), stage);
    return true;
  }

  void launch(const Job& job, Record record, Stage stage) {
    const int slot = slots_.back();
    slots_.pop_back();
    // A launcher's variables are the runner's: what it runs waits for no others.
    ProcessOptions options{
        .errors = job.run->folder.log(),
        .without = {distributed::kPlacingVariables.begin(), distributed::kPlacingVariables.end()},
        .inherited = settings_.lock};
    const bool any_gpu = study_.device == "auto" || study_.device == "cuda";  // with cuda:N it is that one
    if (any_gpu && !gpus_.empty())
      options.environment = {{"CUDA_VISIBLE_DEVICES", gpus_[static_cast<std::size_t>(slot) % gpus_.size()]}};
    Process process(stage_command(study_, *job.run, stage, record), options);
    active_.push_back({job, slot, std::move(record), stage, std::move(process)});
  }

  /// Notes how a program ended, and begins what is next.
  void take(Active& ended, const ProcessEnd& end) {
    const auto& run = *ended.job.run;
    if (settings_.interrupted && (end.status == kInterrupted || end.was_signalled()))
      return;  // told to stop together with us
    if (!end.good()) {
      fail(ended, end);
      return;
    }
    if (ended.stage == Stage::train) {
      ended.record.trained = run.experiment.train.steps;
      auto [precision, device] = computed(run.folder);
      if (!precision.empty()) ended.record.precision = std::move(precision);  // `auto` says nothing
      ended.record.device = std::move(device);
    }
    const auto translated = decoding(run.experiment, run.variation->average);
    if (ended.stage == Stage::average) ended.record.averaged = translated;
    if (ended.stage == Stage::decode) {
      ended.record.decoded = translated;
      ended.record.decoded_sum = sha256_file(run.folder.judged(run.experiment, "dev"));
    }
    if (ended.stage == Stage::test) {
      ended.record.tested = translated;
      ended.record.tested_sum = sha256_file(run.folder.judged(run.experiment, "test"));
    }
    write_record(run.folder, ended.record);
    if (ended.stage == Stage::average) {
      launch(ended.job, std::move(ended.record), Stage::decode);
    } else if (!launch_next(ended.job, std::move(ended.record))) {
      ++outcome_.finished;
      settings_.changed();
    }
  }

  void fail(Active& ended, const ProcessEnd& end) {
    constexpr std::size_t kLines = 8;
    const auto& run = *ended.job.run;
    const std::string judging = is_of_predictions(run.experiment) ? "scoring" : "translating";
    const std::string what = ended.stage == Stage::train     ? "training"
                             : ended.stage == Stage::average ? "averaging"
                             : ended.stage == Stage::test    ? judging + " the test set"
                                                             : judging;
    ended.record.failure =
        Failure{fmt::format("{}: {}", what, end.describe()), last_lines(run.folder.log(), kLines)};
    const bool again = ++ended.job.failures == 1 && end.status != kBadInput && !settings_.interrupted;
    spdlog::warn("{}: {} failed ({}){}; the end of {}:\n    {}", run.name, what, end.describe(),
                 again ? ", and is tried once more" : "", run.folder.log().string(),
                 fmt::join(ended.record.failure->log, "\n    "));
    write_record(run.folder, ended.record);
    if (again) {
      waiting_.push_front(ended.job);
      return;
    }
    ++outcome_.failed;
    settings_.changed();
  }

  Outcome stop() {
    for (auto& active : active_) active.process.terminate();
    bool saved = true;
    for (auto& active : active_) saved = ends_saved(active) && saved;
    spdlog::warn("interrupted{}: the same command goes on", saved ? "; all is saved" : "");
    outcome_.interrupted = true;
    return outcome_;
  }

  /// Waits for a program; says so where a training has not said that all is saved.
  static bool ends_saved(Active& active) {
    constexpr std::size_t kLast = 3;
    const auto end = active.process.wait();
    const auto& folder = active.job.run->folder;
    const auto log = last_lines(folder.log(), kLast);
    const auto says = [](const std::string& line) { return line.find(train::kAllSaved) != line.npos; };
    if (active.stage != Stage::train || end.good() || std::ranges::any_of(log, says)) return true;
    std::error_code none;
    const auto last = std::filesystem::read_symlink(folder.last_checkpoint(), none).string();
    spdlog::warn("{}: was ended before it saved ({}): it will go on from {}", active.job.run->name,
                 end.describe(), last.empty() ? "its beginning" : last);
    return false;
  }

  void show(Progress& progress) {
    const auto now = std::chrono::steady_clock::now();
    if (now - shown_ < std::chrono::seconds(1)) return;  // it reads files
    shown_ = now;
    double done = 0;
    for (const auto& run : runs_) done += weight(run) * share_done(run);
    std::vector<std::string> names;
    for (const auto& active : active_)
      names.push_back(
          fmt::format("{} ({})", active.job.run->name,
                      active.stage == Stage::train
                          ? fmt::format("step {} of {}", train::last_step(active.job.run->folder.metrics()),
                                        active.job.run->experiment.train.steps)
                          : "translating"));
    progress.update(static_cast<std::int64_t>(done),
                    fmt::format("{} of {} finished{}; {}", outcome_.finished, runs_.size(),
                                outcome_.failed > 0 ? fmt::format(", {} failed", outcome_.failed) : "",
                                fmt::join(names, ", ")));
  }

  const Study& study_;
  const Plan& plan_;
  const RunnerSettings& settings_;
  std::vector<Run> runs_;
  std::set<const Run*> to_begin_anew_;
  std::deque<Job> waiting_;
  std::list<Active> active_;
  std::vector<std::string> gpus_ = visible_gpus();
  std::vector<int> slots_;  ///< free ones
  double total_ = 0, done_at_start_ = 0;
  std::chrono::steady_clock::time_point shown_;
  Outcome outcome_;
};

}  // namespace

Outcome run_all(const Study& study, const Plan& plan, const RunnerSettings& settings) {
  return Runner(study, plan, settings).run();
}

}  // namespace transformer::experiments
