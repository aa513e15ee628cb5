// Whether an export is the same language model (proof.h).
#pragma once

#include "transformer/checkpoints/model_directory.h"
#include "transformer/formats/proof.h"

namespace transformer::formats {

/// A language model as a candidate. `logits` takes an undefined source and, as the target, a text with the
/// token that it begins with. `search` is empty.
Candidate text_candidate_of(models::AnyModel model, std::shared_ptr<const data::Tokenizer> tokenizer);

/// Compares the logits behind each token of the texts, then the most probable tokens there. A text counts as
/// equal if all of these are, or as a tie if those that differ have native logits within the tolerance.
/// Padding and begin are not compared, as in prove(). Texts must give the same ids.
Proof prove_texts(const checkpoints::LoadedModel& native, const Candidate& candidate, const Sample& sample,
                  Tolerance tolerance);

}  // namespace transformer::formats
