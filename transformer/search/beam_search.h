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

/// The `nbest` best hypotheses found for each sentence, best first, all different. A sentence's output has at
/// most limits[i] tokens (lengths.h). There are fewer hypotheses only if the limit allows fewer outputs.
///
/// Candidates. Each step looks at all continuations by one token of a sentence's open hypotheses. It takes
/// the best 2 · `beam` of them by log-probability, without length penalty. Those that end in kEos are
/// finished: they are set aside with their score. The best `beam` of the others are the next step's open
/// hypotheses. This is the search of tensor2tensor, which made the paper's results.
///
/// With Candidates::beam a step takes only the best `beam`. A finished one then takes the place of an open
/// one. The next step again takes `beam` continuations, however few hypotheses are open.
///
/// kPad and kBos are never taken. An open hypothesis of limits[i] tokens can only be continued by kEos. With
/// bounds.cut, hypotheses that get limits[i] tokens are finished instead. While a hypothesis is shorter than
/// its sentence's prefix, only the prefix's next token can continue it, and its probability counts.
/// With bounds.trees a step looks at all tokens, and those that are allowed are candidates (tree_outputs.h).
/// Finished hypotheses are ranked by their score, log-probability / length_penalty.
///
/// End of a search. A sentence is done, and leaves the batch, when no open hypothesis can win. That is so if
/// none is open. It is also so if `nbest` are finished and no open one can still reach a better score than
/// the worst of these (best_possible_score).
///
/// With `beam` 1 a step takes one continuation: greedy search. A `beam` as large as the number of possible
/// outputs is exhaustive search. An observer is told what each step looks at and decides, and does not change
/// the result. Throws InputError unless 1 <= nbest <= beam.
Found beam_search(const std::vector<std::int64_t>& limits, const DecodeOptions& options, const Step& step,
                  const BeforeStep& before_step, const Observer& observer = {}, const Bounds& bounds = {});

/// The results of beam_search() under each of `alphas` instead of options.alpha, by one search. Alpha does
/// not change which hypotheses are open. It changes the ranking of finished ones and the time when no open
/// one can win. A sentence goes on until it is done under every alpha. An observer is told the scores under
/// the first alpha.
std::vector<Found> beam_search_alphas(const std::vector<std::int64_t>& limits, const DecodeOptions& options,
                                      std::span<const double> alphas, const Step& step,
                                      const BeforeStep& before_step, const Observer& observer = {},
                                      const Bounds& bounds = {});

}  // namespace transformer::search
