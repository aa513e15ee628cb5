// A batch on the device that computes with it.
#pragma once

#include <torch/types.h>

#include "transformer/data/batching.h"
#include "transformer/models/encoder_decoder.h"
#include "transformer/train/label_smoothing.h"

namespace transformer::train {

struct BatchTensors {
  torch::Tensor source;        ///< (B, S)
  torch::Tensor target_input;  ///< (B, T)
  torch::Tensor labels;        ///< (N), the real tokens of the target, row by row
  torch::Tensor positions;     ///< (N), where they stand in the flattened (B · T)
};

BatchTensors to_device(const data::Batch& batch, const torch::Device& device);

/// The model's last states before the output projection, at the N real target tokens. → (N, D)
torch::Tensor batch_states(models::EncoderDecoder& model, const BatchTensors& batch);

/// The loss of a batch, summed over its N real target tokens; no logits are computed for padding.
TokenLoss batch_loss(models::EncoderDecoder& model, const BatchTensors& batch, double label_smoothing);

}  // namespace transformer::train
