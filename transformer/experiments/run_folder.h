// The folder of one run of an experiment (one seed), and the record of its progress.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "transformer/config/experiment.h"

namespace transformer::experiments {

struct RunFolder {
  std::filesystem::path path;

  std::filesystem::path config() const { return path / "config.yaml"; }
  std::filesystem::path record() const { return path / "run.json"; }
  std::filesystem::path training() const { return path / "train"; }  ///< transformer-train's run directory
  std::filesystem::path last_checkpoint() const { return training() / "checkpoints" / "last"; }
  std::filesystem::path metrics() const { return training() / "metrics.jsonl"; }
  std::filesystem::path model() const { return path / "average"; }  ///< a mean, if that is judged
  /// The file by which `set`, dev or test, is judged. It holds the translation, or, if train.metric is of
  /// predictions, that metric's counts: a line for each sentence, with blanks between the numbers.
  std::filesystem::path judged(const config::Experiment& experiment, const std::string& set) const;
  std::filesystem::path log() const { return path / "log.txt"; }  ///< what the programs said
};

/// Why a run failed.
struct Failure {
  std::string reason;
  std::vector<std::string> log;  ///< its end
};

/// The record of a run, in run.json.
struct Record {
  std::string precision;  ///< the runner's --precision; for a training without one, the precision that it had
  std::string data;       ///< checksum of the prepared data
  std::string device = {};    ///< of a finished training, "cpu" or "cuda"; empty if not recorded
  std::int64_t trained = 0;   ///< train.steps of a finished training; 0: not finished
  std::string decoded;        ///< decoding() of the dev set's judged file; empty: there is none
  std::string averaged = {};  ///< decoding() of the averaged model in `model()`
  std::string tested = {};    ///< decoding() of the test set's judged file
  /// SHA-256 of the two judged files when they were made.
  std::string decoded_sum = {}, tested_sum = {};
  std::optional<Failure> failure = {};
};

/// Empty if there is no record, or if it is damaged, with a line in the log.
Record read_record(const RunFolder& folder);
void write_record(const RunFolder& folder, const Record& record);

/// Whether train.metric is of predictions, so that nothing is translated. False for a metric that this
/// program does not know.
bool is_of_predictions(const config::Experiment& experiment);

/// All that the judged file depends on besides the weights, as text.
std::string decoding(const config::Experiment& experiment, std::int64_t average);

/// What a run needs next. `test`: whether the test set is to be translated, too.
enum class Stage { train, average, decode, test, nothing };
Stage next_stage(const RunFolder& folder, const Record& record, const config::Experiment& experiment,
                 std::int64_t average, bool test = false);

/// Why the folder, which has a configuration, does not belong to this experiment, in words; empty if it does.
/// `data`: the checksum of the experiment's data; empty if they are not prepared.
std::string what_changed(const RunFolder& folder, const Record& record, const config::Experiment& experiment,
                         std::int64_t average, const std::string& data);

/// In what, and on what kind of device, a training that has saved computes; empty where its state does not
/// say.
struct Computed {
  std::string precision, device;
};
Computed computed(const RunFolder& folder);

/// The checksum of an experiment's prepared data.
std::string checksum_of_data(const config::Experiment& experiment);

/// Whether the folder holds this experiment, on the data that are prepared, with nothing left to do.
bool is_finished(const RunFolder& folder, const config::Experiment& experiment, std::int64_t average,
                 bool test);

/// Makes the folder ready for `experiment`: writes its configuration, and takes over what it has, as far as
/// its weights are the experiment's. A folder that holds another experiment, or other data, is renamed to
/// NAME.changed, NAME.changed-2 and so on, never lost; `put_aside` then says why.
Record open_run_folder(const RunFolder& folder, const config::Experiment& experiment, std::int64_t average,
                       const std::string& precision, const std::string& data, std::string& put_aside);

}  // namespace transformer::experiments
