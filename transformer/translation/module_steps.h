// The steps of a search by the model's own modules: on any device, and the slow and obvious twin of the
// engine in transformer/engine.
#pragma once

#include <torch/types.h>

#include <memory>

#include "transformer/models/model.h"
#include "transformer/search/step.h"

namespace transformer::translation {

class ModuleSteps {
 public:
  /// source: (B, S), ids that end in kEos and are padded behind it, on any device.
  ModuleSteps(models::AnyModel model, const torch::Tensor& source);

  /// Makes the step: logits of what follows each row, (rows, V).
  torch::Tensor logits(const search::StepRows& rows);

  /// The same as search::Step.
  void operator()(const search::StepRows& rows, std::int64_t width, search::Continuations& best);

 private:
  void select(const search::StepRows& rows);

  models::AnyModel model_;
  models::SequenceToSequence& decoder_;          // the same
  std::shared_ptr<models::DecoderState> state_;  // a search may copy this before its first step
  std::vector<std::int32_t> sentences_;          // those in the state, by their places in the batch
  std::vector<std::int64_t> places_;             // of the last step's rows in the state
  std::int64_t state_rows_ = 0;
};

}  // namespace transformer::translation
