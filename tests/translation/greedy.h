// Greedy search: always the most probable next token.
#pragma once

#include <torch/types.h>

#include <vector>

#include "transformer/models/encoder_decoder.h"
#include "transformer/search/hypothesis.h"
#include "transformer/search/options.h"
#include "transformer/translation/model_search.h"

namespace transformer::test {

using search::BeforeStep;
using search::DecodeOptions;
using search::Hypothesis;

/// Translates each row of `source`, (B, S), ids that end in kEos and are padded behind it, on any device.
///
/// Each step takes the most probable token, but never kPad or kBos. A sentence ends with kEos, which it must
/// take at the limit of length_limits (scoring.h). Then it leaves the batch. This is a beam of one hypothesis
/// (beam_search.h). The other rows change neither the result nor, beyond rounding, the score. Only the
/// options alpha, length_penalty and length_offset matter. The model runs in evaluation mode, without
/// gradients, in the precision of its weights or of a surrounding runtime::PrecisionScope.
inline std::vector<Hypothesis> greedy_search(models::EncoderDecoder model, const torch::Tensor& source,
                                             const DecodeOptions& options,
                                             const BeforeStep& before_step = {}) {
  auto narrow = options;
  narrow.beam = narrow.nbest = 1;
  std::vector<Hypothesis> results;
  auto found = translation::beam_search(model, source, narrow, {}, {before_step});
  for (auto& hypotheses : found[0]) results.push_back(std::move(hypotheses.front()));
  return results;
}

}  // namespace transformer::test
