// A model that searches by its modules, with what is made once for all its searches: the modules' counterpart
// of engine::BatchDecoder.
#pragma once

#include <memory>

#include "transformer/models/model.h"
#include "transformer/ops/working_weights.h"
#include "transformer/translation/step_graphs.h"

namespace transformer::translation {

/// For one search at a time. The weights stay as they are as long as it lives.
class ModuleDecoder {
 public:
  explicit ModuleDecoder(const models::AnyModel& model)
      : model_(model), graphs_(StepGraphs::of(models::as_encoder_decoder(model))) {}

  const models::AnyModel& model() const { return model_; }
  ops::WorkingWeights& weights() { return weights_; }  ///< copies that products make of the model's
  StepGraphs* graphs() { return graphs_.get(); }       ///< null: steps are computed

 private:
  models::AnyModel model_;
  ops::WorkingWeights weights_;
  std::unique_ptr<StepGraphs> graphs_;  // before the weights' copies, which they read
};

}  // namespace transformer::translation
