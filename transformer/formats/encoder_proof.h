// Whether an exported encoder is the same model. An encoder makes no outputs, so nothing is searched.
#pragma once

#include "transformer/formats/proof.h"

namespace transformer::formats {

/// What an encoder predicts of a text: of each token, or of the text where the head reads one vector of it.
/// text: (1, T), kBos and kEos included → (1, T, K) or (1, 1, K)
torch::Tensor encoder_logits(models::Model& model, const torch::Tensor& text);

/// Compares the logits of each sentence, by Candidate::logits, whose target is nothing. Sentences are cut to
/// the model's longest.
void compare_encoders(models::Model& native, const Candidate& candidate, const Sample& sample,
                      const Tolerance& tolerance, Proof& proof);

}  // namespace transformer::formats
