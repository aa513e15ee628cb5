// Section 6.1: the search itself, for any model that can do a step.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "transformer/decode/hypothesis.h"
#include "transformer/decode/options.h"
#include "transformer/inference/step.h"

namespace transformer::decode {

/// Finds the most probable continuations, `width` or more of each row where there are so many.
using Step =
    std::function<void(const inference::StepRows& rows, std::int64_t width, inference::Continuations& best)>;

/// The search that beam_search.h describes, over sentences whose outputs have at most limits[i] tokens.
Found search(const std::vector<std::int64_t>& limits, const DecodeOptions& options, const Step& step,
             const BeforeStep& before_step);

/// What search() finds under each of `alphas` in the place of options.alpha, by one search for all: which
/// hypotheses are open never depends on alpha, only their ranking once they are finished, and when no open
/// one can win. A sentence goes on until that is so under each alpha.
std::vector<Found> search_alphas(const std::vector<std::int64_t>& limits, const DecodeOptions& options,
                                 std::span<const double> alphas, const Step& step,
                                 const BeforeStep& before_step);

}  // namespace transformer::decode
