// How well a model predicts a data set: loss and perplexity.
#pragma once

#include <atomic>

#include "transformer/data/dataset.h"
#include "transformer/models/encoder_decoder.h"

namespace transformer::train {

struct DataLoss {
  double loss = 0;        ///< label-smoothed, nats a target token
  double nll = 0;         ///< plain cross-entropy, nats a target token
  double perplexity = 0;  ///< exp(nll), a subword; never smoothed
  std::int64_t tokens = 0;
};

/// Over all pairs, without dropout; the model's mode is restored. micro_tokens bounds a forward pass. Throws
/// Interrupted between two of them when the flag, where there is one, is set.
DataLoss evaluate_loss(models::EncoderDecoder& model, const data::Dataset& data, std::int64_t micro_tokens,
                       double label_smoothing, torch::ScalarType precision,
                       const std::atomic<bool>* interrupted = nullptr);

}  // namespace transformer::train
