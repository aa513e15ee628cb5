// Section 6.1: beam search with a length penalty, for any model that can do a step.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "transformer/search/hypothesis.h"
#include "transformer/search/observer.h"
#include "transformer/search/options.h"
#include "transformer/search/step.h"

namespace transformer::search {

/// Finds the most probable continuations, `width` or more of each row where there are so many.
using Step = std::function<void(const StepRows& rows, std::int64_t width, Continuations& best)>;

/// For each sentence, whose output has at most limits[i] tokens (lengths.h), the `nbest` best hypotheses
/// found, best first, all different. (There are fewer only where the limit leaves fewer possible outputs.)
///
/// Which candidates are kept. Each step looks at all continuations of a sentence's open hypotheses by one
/// token and takes the best 2 · `beam` of them by log-probability, without length penalty. Those that end in
/// kEos are finished: they are set aside with their score and take no further part. The best `beam` of the
/// others are the next step's open hypotheses. So tensor2tensor searches, with which the paper's results were
/// made. With Candidates::beam a step takes the best `beam` only: what ends takes the place of what would
/// have gone on, and the next step, whatever the number of its open hypotheses, takes `beam` continuations
/// again. kPad and kBos are never taken. An open hypothesis as long as limits[i] allows can
/// only be continued by kEos. One of a sentence's finished hypotheses is better than another if its score is:
/// log-probability / length_penalty.
///
/// When a beam is closed. A sentence is done, and leaves the batch, when no open hypothesis can win: when
/// none is left, or when `nbest` hypotheses are finished and the best score that any open one can still reach
/// (best_possible_score) is not above the worst of these.
///
/// With `beam` 1 a step takes one continuation: greedy search. A `beam` as large as the number of possible
/// outputs is exhaustive search.
/// An observer is told what each step looks at and decides, and changes nothing of what is found.
/// Throws InputError unless 1 <= nbest <= beam.
Found beam_search(const std::vector<std::int64_t>& limits, const DecodeOptions& options, const Step& step,
                  const BeforeStep& before_step, const Observer& observer = {});

/// What beam_search() finds under each of `alphas` in the place of options.alpha, by one search for all:
/// which hypotheses are open never depends on alpha, only their ranking once they are finished, and when no
/// open one can win. A sentence goes on until that is so under each alpha. An observer is told the scores
/// under the first of them.
std::vector<Found> beam_search_alphas(const std::vector<std::int64_t>& limits, const DecodeOptions& options,
                                      std::span<const double> alphas, const Step& step,
                                      const BeforeStep& before_step, const Observer& observer = {});

}  // namespace transformer::search
