// One update: gradients accumulated over micro-batches, then a step of the optimiser (sections 5.1, 5.3).
#pragma once

#include "transformer/data/batching.h"
#include "transformer/models/encoder_decoder.h"
#include "transformer/models/size.h"
#include "transformer/train/adam.h"

namespace transformer::train {

/// Sums over an update's real target tokens.
struct UpdateResult {
  double loss = 0;  ///< label-smoothed
  double nll = 0;
  double gradient_norm = 0;  ///< before clipping
  std::int64_t source_tokens = 0;
  std::int64_t target_tokens = 0;
  models::TokenCounts counts;  ///< for the FLOPs
};

struct UpdateSettings {
  torch::ScalarType precision = torch::kFloat;
  double label_smoothing = 0.1;
  double clip = 0;
  double learning_rate = 0;
};

/// The gradient is that of the mean loss over all target tokens of the update, however it is cut into
/// micro-batches. The model is in training mode.
UpdateResult run_update(models::EncoderDecoder& model, Adam& adam, const data::Dataset& data,
                        const data::BatchPlan::Update& update, const UpdateSettings& settings);

}  // namespace transformer::train
