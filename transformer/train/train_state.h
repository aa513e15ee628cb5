// Where a training stands, besides its weights and moments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "transformer/train/loss_scale.h"

namespace transformer::train {

/// What a training's numbers depend on besides its configuration: see conditions.h.
struct Conditions {
  std::string precision;       ///< fp32, tf32, bf16 or fp16
  std::string device;          ///< cpu or cuda
  std::int64_t threads = 0;    ///< of each process
  std::int64_t processes = 1;  ///< older states do not say
  std::string train_data;      ///< checksums
  std::string dev_data;
  std::int64_t batch_order = 1;  ///< data::kBatchOrder; the first did not write its number

  bool operator==(const Conditions&) const = default;
};

/// Random numbers need no entry: each update seeds its generator from the seed and its step, so they do not
/// depend on how often a run was interrupted.
struct TrainState {
  std::int64_t step = 0;            ///< updates done, skipped and lost ones included
  std::int64_t epoch = 0;           ///< the current one, from 0
  std::int64_t epoch_update = 0;    ///< updates done in it
  std::int64_t skipped = 0;         ///< updates without a step, since loss or gradient were not finite;
                                    ///< those that were lost to the loss scale are counted there
  std::int64_t skipped_in_row = 0;  ///< the latest of them
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
  bool finished = false;  ///< by patience: nothing is left to do, whatever `steps` says; a larger one goes on
  /// The checkpoint with this state was made because the training was stopped, not because it was due: the
  /// next one takes its place.
  bool interim = false;
  std::optional<LossScale> loss_scale = {};  ///< of the next update, in fp16
  Conditions conditions = {};

  /// Steps that the optimiser made.
  std::int64_t steps_made() const { return step - skipped - (loss_scale ? loss_scale->overflows : 0); }

  /// Compares what this evaluation found, of which more is better, with the best so far; whether it is the
  /// best. After `patience` in a row that are not, the training is finished; 0: never.
  bool judge(double score, std::int64_t patience);

  /// A training that an earlier, smaller `patience` has ended goes on.
  void be_patient(std::int64_t patience);

  bool operator==(const TrainState&) const = default;
};

std::string to_json(const TrainState& state);

/// Throws InputError naming `source` for anything but what to_json writes.
TrainState train_state_from_json(const std::string& text, const std::string& source);

}  // namespace transformer::train
