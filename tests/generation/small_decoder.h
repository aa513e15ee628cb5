// A small language model, and what it says of a text by its definition.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "transformer/models/kinds.h"

namespace transformer::test {

/// In evaluation mode. kind: decoder, or one that continues no texts.
inline models::AnyModel small_model(const std::string& kind, std::int64_t vocabulary) {
  torch::manual_seed(4);
  auto model = models::make({.kind = *variants::parse(kind),
                             .encoder_layers = 1,
                             .decoder_layers = 2,
                             .d_model = 8,
                             .d_ff = 12,
                             .heads = 2,
                             .d_k = 4,
                             .d_v = 4},
                            {vocabulary, vocabulary});
  model->eval();
  return model;
}

/// Of what follows a text, which is read as a whole. → (vocabulary)
inline torch::Tensor logits_after(models::AnyModel& model, const std::vector<std::int32_t>& text) {
  auto& language = models::language_model(*model);
  const auto ids = torch::tensor(std::vector<std::int64_t>(text.begin(), text.end())).unsqueeze(0);
  return language.logits(language.states(ids))[0][-1];
}

}  // namespace transformer::test
