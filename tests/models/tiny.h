// The model behind the numbers in constants_torch.h.
#pragma once

#include "transformer/models/options.h"

namespace transformer::test {

/// The options that PyTorch's constants were made with.
inline models::ModelOptions tiny(nn::NormPlacement norm = nn::NormPlacement::post) {
  return {.encoder_layers = 2,
          .decoder_layers = 2,
          .d_model = 8,
          .d_ff = 12,
          .heads = 2,
          .d_k = 4,
          .d_v = 4,
          .dropout = 0.0,
          .norm = norm,
          .attention_bias = true,
          .max_positions = 20};
}

}  // namespace transformer::test
