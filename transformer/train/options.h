// The training regime of section 5.
#pragma once

#include <cstdint>

namespace transformer::train {

enum class Schedule {
  noam,          ///< section 5.3: factor · d_model^-0.5 · min(step^-0.5, step · warmup^-1.5)
  inverse_sqrt,  ///< factor · min(step / warmup, sqrt(warmup / step)): the factor is the peak
  constant,      ///< factor, after a linear warm-up
};

/// What decides which checkpoint is the best.
enum class BestBy { loss, bleu };

struct TrainOptions {
  std::int64_t steps = 100000;
  std::int64_t source_tokens = 25000;  ///< real tokens an update; reaching either limit closes it (5.1)
  std::int64_t target_tokens = 25000;
  std::int64_t micro_tokens = 4096;  ///< padded tokens of the longer side in one forward pass: bounds memory
  double label_smoothing = 0.1;      ///< 5.4; spread over all classes
  Schedule schedule = Schedule::noam;
  std::int64_t warmup = 4000;
  double factor = 1.0;
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-9;
  double clip = 0.0;  ///< largest gradient norm; 0: off
  std::int64_t eval_every = 1000;
  std::int64_t save_every = 1000;
  std::int64_t log_every = 100;
  std::int64_t keep = 20;         ///< latest checkpoints to keep; the best is kept besides
  std::int64_t patience = 0;      ///< evaluations without improvement before stopping; 0: never
  std::int64_t max_skipped = 10;  ///< updates in a row with NaN or infinity that end the training
  std::int64_t bleu_every = 0;    ///< steps between BLEU measurements on the dev set; 0: never
  BestBy best = BestBy::loss;

  bool operator==(const TrainOptions&) const = default;
};

}  // namespace transformer::train
