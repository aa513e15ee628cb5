// Where a training stands, besides its weights and moments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "transformer/train/loss_scale.h"

namespace transformer::train {

/// The conditions of a training's numbers besides its configuration: see conditions.h.
struct Conditions {
  std::string precision;       ///< fp32, tf32, bf16 or fp16
  std::string device;          ///< cpu or cuda
  std::int64_t threads = 0;    ///< of each process
  std::int64_t processes = 1;  ///< older states do not say
  std::string train_data;      ///< checksums
  std::string dev_data;
  std::int64_t batch_order = 1;  ///< data::kBatchOrder; the first did not write its number
  std::string from = {};  ///< SHA-256 of the weights that the training began from (train.from); empty: none

  bool operator==(const Conditions&) const = default;
};

/// Random numbers need no entry: each update seeds its generator from the seed and its step, so they do not
/// depend on how often a run was interrupted.
struct TrainState {
  std::int64_t step = 0;          ///< updates so far, with skipped and lost ones
  std::int64_t epoch = 0;         ///< the current one, from 0
  std::int64_t epoch_update = 0;  ///< updates so far in this epoch
  /// Updates without a step, because loss or gradient were not finite. loss_scale counts those lost to it.
  std::int64_t skipped = 0;
  std::int64_t skipped_in_row = 0;  ///< skipped updates in a row until now
  std::int64_t evaluated = 0;       ///< step of the latest evaluation
  std::int64_t source_tokens = 0;
  std::int64_t target_tokens = 0;
  double flops = 0;  ///< the model's, spent on training
  std::optional<double> best =
      {};  ///< of the dev set: the metric (negated where less is better), or minus the unsmoothed loss
  std::int64_t best_step = 0;
  std::int64_t unimproved = 0;  ///< evaluations since the best one
  double open_loss = 0;         ///< sums over the updates since the last "train" line of metrics.jsonl
  double open_nll = 0;
  std::int64_t open_tokens = 0;
  bool finished = false;  ///< by patience: nothing is left to do, whatever `steps` is, unless patience grows
  /// The checkpoint with this state was made because the training was stopped, not because it was due. The
  /// next one replaces it.
  bool interim = false;
  std::optional<LossScale> loss_scale = {};  ///< of the next update, in fp16
  Conditions conditions = {};

  /// Steps that the optimiser made.
  std::int64_t steps_made() const { return step - skipped - (loss_scale ? loss_scale->overflows : 0); }

  /// Compares an evaluation's score with the best so far. Larger is better. True if it is larger.
  /// After `patience` evaluations in a row without improvement the training is finished; 0: never.
  bool judge(double score, std::int64_t patience);

  /// Continues a training that an earlier, smaller `patience` ended.
  void be_patient(std::int64_t patience);

  bool operator==(const TrainState&) const = default;
};

std::string to_json(const TrainState& state);

/// Throws InputError naming `source` for anything but what to_json writes.
TrainState train_state_from_json(const std::string& text, const std::string& source);

}  // namespace transformer::train
