// A model's weights as a Marian model has them.
#pragma once

#include "transformer/formats/weights.h"

namespace transformer::formats {

/// The paper's interleaved sinusoids in halves: reorders the model's dimension in all weights, which leaves
/// the function as it is. options.positions becomes halves. Other positions stay as they are.
void use_halves(Weights& weights, models::ModelOptions& options);

/// By Marian's names. Sinusoids other than halves become tables of `positions` rows.
Weights marian_weights(const Weights& weights, const models::ModelOptions& options,
                       const models::VocabularySizes& vocabulary, std::int64_t positions);

}  // namespace transformer::formats
