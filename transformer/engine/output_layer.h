// From the decoder's states to the most probable next tokens (section 3.4).
#pragma once

#include <cstdint>
#include <span>

#include "transformer/engine/packed_model.h"
#include "transformer/kernels/next_tokens.h"
#include "transformer/search/step.h"

namespace transformer::engine {

/// The output projection, its softmax, and the choice of the best tokens. Logits are computed and searched
/// some panels at a time, while they are in the caches. So a row of logits over the whole vocabulary never
/// exists.
class OutputLayer {
 public:
  /// The model must outlive it.
  explicit OutputLayer(const PackedModel& model);

  /// Makes `best` ready for so many rows, with the `width` best continuations of each.
  void begin(std::size_t rows, std::int64_t width, search::Continuations& best) const;

  /// Fills in the rows of `best` from `first_row` on, one for each of `states`. only: of all rows, as of
  /// StepRows.
  void choose(const RoundedRows& states, std::int64_t first_row, std::span<const std::int32_t> only,
              search::Continuations& best);

  /// Logits of all tokens: (states, vocabulary).
  void compute(const RoundedRows& states, float* logits);

 private:
  void scan(const RoundedRows& states, std::span<const std::int32_t> only, std::int64_t width, float* values,
            std::int32_t* tokens);

  const PackedModel& model_;
  const kernels::LinearKernels& linear_;
  const kernels::NextTokensKernels& next_tokens_;
  kernels::Buffer<float> logits_, maximum_, total_, only_logits_;
};

}  // namespace transformer::engine
