// Where one run of an experiment (one seed) lies, and what is known of how far it has come.
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
  std::filesystem::path model() const { return path / "average"; }  ///< where checkpoints are averaged
  /// What `set`, dev or test, is judged by: its translation; where train.metric is of predictions, what that
  /// metric counts of them, a line for each sentence with blanks between the numbers.
  std::filesystem::path judged(const config::Experiment& experiment, const std::string& set) const;
  std::filesystem::path log() const { return path / "log.txt"; }  ///< what the programs said
};

/// Why a run failed.
struct Failure {
  std::string reason;
  std::vector<std::string> log;  ///< its end
};

/// What is noted of a run, in run.json.
struct Record {
  std::string precision;  ///< as the runner was told; of a finished training, which was not told, what it was
  std::string data;       ///< checksum of the prepared data
  std::string device = {};   ///< of a finished training: "cpu" or "cuda"; empty where that was not noted
  std::int64_t trained = 0;  ///< train.steps of a training that is finished; 0: it is not
  std::string decoded;  ///< how what the dev set is judged by was made (decoding()); empty: there is nothing
  std::string averaged = {};  ///< the same of the model that was averaged for it, in `model()`
  std::string tested = {};    ///< the same of the test set's
  /// SHA-256 of both translations, as they were made.
  std::string decoded_sum = {}, tested_sum = {};
  std::optional<Failure> failure = {};
};

/// An empty record where there is none, and where it is damaged, which a line of the log says.
Record read_record(const RunFolder& folder);
void write_record(const RunFolder& folder, const Record& record);

/// Whether train.metric is of predictions: then nothing is translated. One that this program does not know is
/// not.
bool is_of_predictions(const config::Experiment& experiment);

/// All that what a set is judged by depends on besides the weights, as text.
std::string decoding(const config::Experiment& experiment, std::int64_t average);

/// What a run needs next. `test`: whether the test set is to be translated, too.
enum class Stage { train, average, decode, test, nothing };
Stage next_stage(const RunFolder& folder, const Record& record, const config::Experiment& experiment,
                 std::int64_t average, bool test = false);

/// Why what the folder holds, which has a configuration, is not this experiment's, in words; empty if it is.
/// `data`: the checksum of its data; empty where these are not prepared.
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
