// Section 6.1: beam search with a length penalty.
#pragma once

#include <torch/types.h>

#include <span>
#include <vector>

#include "transformer/decode/hypothesis.h"
#include "transformer/decode/options.h"
#include "transformer/inference/batch_decoder.h"
#include "transformer/models/encoder_decoder.h"

namespace transformer::decode {

/// Translates each row of `source`, (B, S), ids that end in kEnd and are padded behind it, on any device.
/// For each sentence the `nbest` best hypotheses found, best first, all different. (There are fewer only
/// where the length limit leaves fewer possible outputs.)
///
/// Which candidates are kept. Each step looks at all continuations of a sentence's open hypotheses by one
/// token and takes the best 2 · `beam` of them by log-probability, without length penalty. Those that end in
/// kEnd are finished: they are set aside with their score and take no further part. The best `beam` of the
/// others are the next step's open hypotheses. So tensor2tensor searches, with which the paper's results were
/// made. With Candidates::beam a step takes the best `beam` only: what ends takes the place of what would
/// have gone on, and the next step, whatever the number of its open hypotheses, takes `beam` continuations
/// again. kPad and kBegin are never taken. An open hypothesis as long as length_limits (scoring.h) allows can
/// only be continued by kEnd. One of a sentence's finished hypotheses is better than another if its score is:
/// log-probability / length_penalty.
///
/// When a beam is closed. A sentence is done, and leaves the batch, when no open hypothesis can win: when
/// none is left, or when `nbest` hypotheses are finished and the best score that any open one can still reach
/// (best_possible_score) is not above the worst of these.
///
/// With `beam` 1 a step takes one continuation: greedy search. A `beam` as large as the number of possible
/// outputs is exhaustive search. Neither the result nor, beyond rounding, the score depends on the other
/// rows. The model is used in evaluation mode, without gradients, in the precision of its weights or of a
/// surrounding nn::Autocast. Throws InputError unless 1 <= nbest <= beam.
Found beam_search(models::EncoderDecoder& model, const torch::Tensor& source, const DecodeOptions& options,
                  const BeforeStep& before_step = {});

/// The same search, by the engine for CPUs. Each source ends in kEnd. Neither results nor scores depend on
/// the other sources, to the last bit.
Found beam_search(inference::BatchDecoder& decoder, std::span<const std::vector<std::int32_t>> sources,
                  const DecodeOptions& options, const BeforeStep& before_step = {});

/// What beam_search() finds under each of `alphas` in the place of options.alpha, for little more time than
/// the longest of these searches takes: they are one (search.h).
std::vector<Found> beam_search_alphas(models::EncoderDecoder& model, const torch::Tensor& source,
                                      const DecodeOptions& options, std::span<const double> alphas,
                                      const BeforeStep& before_step = {});
std::vector<Found> beam_search_alphas(inference::BatchDecoder& decoder,
                                      std::span<const std::vector<std::int32_t>> sources,
                                      const DecodeOptions& options, std::span<const double> alphas,
                                      const BeforeStep& before_step = {});

}  // namespace transformer::decode
