// The greedy continuation of a text and its logits, by which exports of language models are compared.
#pragma once

#include <torch/types.h>

#include "transformer/models/model.h"
#include "transformer/search/hypothesis.h"

namespace transformer::formats {

/// Whether a model continues texts, and does not map a source to a target.
bool is_language_model(const models::AnyModel& model);

/// The logits of a continuation's tokens and of what follows it. The text begins with what texts begin with.
/// The continuation starts with kBos in the place of the text.
/// text: (1, S), continuation: (1, T) → (1, T, V)
torch::Tensor continuation_logits(models::LanguageModel& model, const torch::Tensor& text,
                                  const torch::Tensor& continuation);

/// The most probable token again and again, never kPad or kBos, until the text ends or has so many more
/// tokens. The score is 0. text: (1, S)
search::Hypothesis continue_greedily(models::LanguageModel& model, const torch::Tensor& text,
                                     std::int64_t tokens);

}  // namespace transformer::formats
