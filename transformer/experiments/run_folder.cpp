#include "transformer/experiments/run_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "transformer/base/atomic_file.h"
#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/base/sibling_link.h"
#include "transformer/base/text_file.h"
#include "transformer/config/keys.h"
#include "transformer/config/yaml.h"
#include "transformer/eval/metric_table.h"
#include "transformer/experiments/bookkeeping.h"
#include "transformer/train/step_lines.h"

namespace transformer::experiments {
namespace fs = std::filesystem;
namespace {

/// Why a training that has begun under `before` has other checkpoints than those to be averaged, or nothing.
std::string other_checkpoints(const Record& record, const config::Experiment& before,
                              const config::Experiment& experiment, std::int64_t average) {
  if (average == 1) return {};
  if (before.train.save_every != experiment.train.save_every)
    return fmt::format("train.save_every was {} and is {}", before.train.save_every,
                       experiment.train.save_every);
  const auto wanted = decoding(experiment, average);
  if (before.train.keep < average && record.averaged != wanted && record.decoded != wanted)
    return fmt::format("train.keep was {}, and {} checkpoints are to be averaged", before.train.keep,
                       average);
  return {};
}

/// Once of each, as records are read again and again.
void warn_of_damage(const fs::path& record) {
  static std::set<fs::path> said;
  if (said.insert(record).second)
    spdlog::warn(
        "{}: expected what the runner noted of a run, found something else: the run goes on by its "
        "training's own files",
        record.string());
}

void rename_away(const fs::path& path) {
  for (int i = 1;; ++i) {
    const fs::path name = path.string() + (i == 1 ? ".changed" : fmt::format(".changed-{}", i));
    if (fs::exists(name)) continue;
    fs::rename(path, name);
    return;
  }
}

}  // namespace

Record read_record(const RunFolder& folder) {
  Record record;
  if (!fs::exists(folder.record())) return record;
  try {
    const auto json = nlohmann::json::parse(read_file(folder.record()));
    record.precision = json.at("precision");
    record.data = json.at("data");
    record.trained = json.at("trained");
    record.decoded = json.at("decoded");
    record.device = json.value("device", "");
    record.averaged = json.value("averaged", "");
    record.tested = json.value("tested", "");
    record.decoded_sum = json.value("decoded_sum", "");
    record.tested_sum = json.value("tested_sum", "");
    if (json.contains("failure")) record.failure = {json["failure"].at("reason"), json["failure"].at("log")};
  } catch (const nlohmann::json::exception&) {
    warn_of_damage(folder.record());
    return {};
  }
  return record;
}

void write_record(const RunFolder& folder, const Record& record) {
  nlohmann::ordered_json json{{"precision", record.precision},
                              {"data", record.data},
                              {"trained", record.trained},
                              {"decoded", record.decoded}};
  if (!record.device.empty()) json["device"] = record.device;
  if (!record.averaged.empty()) json["averaged"] = record.averaged;
  if (!record.tested.empty()) json["tested"] = record.tested;
  if (!record.decoded_sum.empty()) json["decoded_sum"] = record.decoded_sum;
  if (!record.tested_sum.empty()) json["tested_sum"] = record.tested_sum;
  if (record.failure) json["failure"] = {{"reason", record.failure->reason}, {"log", record.failure->log}};
  // What a program said may be any bytes.
  write_file_atomically(folder.record(),
                        json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

bool is_of_predictions(const config::Experiment& experiment) {
  const auto& name = experiment.train.metric;
  const auto known = eval::score_names();
  return std::ranges::find(known, name) != known.end() &&
         eval::find_score(name, "train.metric").is_of_predictions();
}

fs::path RunFolder::judged(const config::Experiment& experiment, const std::string& set) const {
  return path /
         fmt::format("{}.{}", set, is_of_predictions(experiment) ? experiment.train.metric : "translation");
}

std::string decoding(const config::Experiment& experiment, std::int64_t average) {
  std::string text = fmt::format("mean of {} checkpoints at step {}", average, experiment.train.steps);
  if (is_of_predictions(experiment)) return fmt::format("{}, {}", text, experiment.train.metric);
  // Records of earlier versions lack a key that came later. Its default is what those versions did.
  constexpr std::string_view later = "decode.whole_trees";
  for (const auto& key : config::keys())
    if (key.name.starts_with("decode.") && !(key.name == later && !experiment.decode.whole_trees))
      text += fmt::format(", {} {}", key.name, key.get(experiment));
  return text;
}

Stage next_stage(const RunFolder& folder, const Record& record, const config::Experiment& experiment,
                 std::int64_t average, bool test) {
  if (record.trained != experiment.train.steps) return Stage::train;
  const auto wanted = decoding(experiment, average);
  if (record.decoded != wanted || !fs::exists(folder.judged(experiment, "dev")))
    return average > 1 ? Stage::average : Stage::decode;
  if (!test || (record.tested == wanted && fs::exists(folder.judged(experiment, "test"))))
    return Stage::nothing;
  // The average may have been thrown away since the dev set was translated.
  const bool has_model = average == 1 || (fs::exists(folder.model()) && record.averaged == wanted);
  return has_model ? Stage::test : Stage::average;
}

std::string what_changed(const RunFolder& folder, const Record& record, const config::Experiment& experiment,
                         std::int64_t average, const std::string& data) {
  std::vector<std::string> changes;
  const auto before = config::load_resolved_experiment(folder.config());
  const auto add = [&](const config::Difference& difference) {
    const auto& [key, left, right] = difference;
    changes.push_back(fmt::format("{} was {} and is {}", key, left, right));
  };
  for (const auto& difference : config::differences_in_weights(before, experiment)) add(difference);
  if (record.trained == experiment.train.steps)
    for (const auto& difference : config::differences(before, experiment))
      if (decides_end(difference.key, experiment)) add(difference);
  // Also of a longer training that is not finished: its weights are not those of this one's last step.
  const auto reached = std::max(record.trained, train::last_step(folder.metrics()));
  if (const auto others = other_checkpoints(record, before, experiment, average);
      reached > 0 && !others.empty())
    changes.push_back(others);
  if (reached > experiment.train.steps)
    changes.push_back(
        fmt::format("trained to step {}, and train.steps is {}", reached, experiment.train.steps));
  if (!record.data.empty() && !data.empty() && record.data != data)
    changes.emplace_back("the prepared data are others");
  return fmt::format("{}", fmt::join(changes, "; "));
}

Computed computed(const RunFolder& folder) {
  auto checkpoint = folder.last_checkpoint();
  if (const auto named = linked_sibling(checkpoint)) checkpoint.replace_filename(*named);
  const auto file = checkpoint / "trainer.json";
  if (!fs::exists(file)) return {};
  const auto state = nlohmann::json::parse(read_file(file), nullptr, /*allow_exceptions=*/false);
  if (!state.is_object()) return {};
  return {state.value("precision", ""), state.value("device", "")};
}

std::string checksum_of_data(const config::Experiment& experiment) {
  return sha256_file(fs::path(experiment.data.prepared) / checksums_name);
}

bool is_finished(const RunFolder& folder, const config::Experiment& experiment, std::int64_t average,
                 bool test) {
  if (!fs::exists(folder.config())) return false;
  const auto record = read_record(folder);
  return next_stage(folder, record, experiment, average, test) == Stage::nothing &&
         what_changed(folder, record, experiment, average, checksum_of_data(experiment)).empty();
}

Record open_run_folder(const RunFolder& folder, const config::Experiment& experiment, std::int64_t average,
                       const std::string& precision, const std::string& data, std::string& put_aside) {
  put_aside.clear();
  Record record;
  auto written = experiment;
  if (fs::exists(folder.config())) {
    record = read_record(folder);
    put_aside = what_changed(folder, record, experiment, average, data);
    if (!put_aside.empty()) {
      rename_away(folder.path);
      record = {};
    } else if (record.trained == experiment.train.steps) {
      // The checkpoints that lie there are as far apart as they are: who averages them later must see it.
      written.train.save_every = config::load_resolved_experiment(folder.config()).train.save_every;
    }
  }
  fs::create_directories(folder.path);
  remove_abandoned_temporaries(folder.path);
  if (precision != "auto" || record.trained == 0) record.precision = precision;
  record.data = data;
  record.failure.reset();
  write_record(folder, record);
  write_file_atomically(folder.config(), config::to_yaml(written));
  return record;
}

}  // namespace transformer::experiments
