// The steps of a search by the model's own modules: on any device, and the slow and obvious twin of the
// engine in transformer/engine.
#pragma once

#include <torch/types.h>

#include "transformer/models/encoder_decoder.h"
#include "transformer/search/step.h"

namespace transformer::translation {

class ModuleSteps {
 public:
  /// source: (B, S), ids that end in kEos and are padded behind it, on any device.
  ModuleSteps(models::EncoderDecoder& model, const torch::Tensor& source);

  /// As search::Step.
  void operator()(const search::StepRows& rows, std::int64_t width, search::Continuations& best);

 private:
  void select(const search::StepRows& rows);

  models::EncoderDecoder model_;
  nn::DecoderCache cache_;
  std::vector<std::int32_t> sentences_;  // those in the cache, by their places in the batch
  std::vector<std::int64_t> places_;     // of the last step's rows in the cache
  std::int64_t cache_rows_ = 0;
};

}  // namespace transformer::translation
