// Section 6.1: the search itself, for any model that can do a step.
#pragma once

#include <functional>
#include <vector>

#include "transformer/decode/hypothesis.h"
#include "transformer/decode/options.h"
#include "transformer/inference/step.h"

namespace transformer::decode {

/// Finds the most probable continuations, `width` or more of each row where there are so many.
using Step =
    std::function<void(const inference::StepRows& rows, std::int64_t width, inference::Continuations& best)>;

/// The search that beam_search.h describes, over sentences whose outputs have at most limits[i] tokens.
std::vector<std::vector<Hypothesis>> search(const std::vector<std::int64_t>& limits,
                                            const DecodeOptions& options, const Step& step,
                                            const BeforeStep& before_step);

}  // namespace transformer::decode
