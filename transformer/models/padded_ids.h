// Packed ids as rows of a batch.
#pragma once

#include "transformer/base/special_tokens.h"
#include "transformer/models/model.h"

namespace transformer::models {

/// (N) → (B, longest), with kPad behind each.
inline torch::Tensor padded_ids(const Packed& ids) {
  return ops::pad(ids.rows - kPad, ids.sequences) + kPad;  // pad() leaves zeros, which are another token
}

}  // namespace transformer::models
