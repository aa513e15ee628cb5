// Section 6.1: beam search with a model, by its modules or by the engine for CPUs.
#pragma once

#include <torch/types.h>

#include <span>
#include <vector>

#include "transformer/engine/batch_decoder.h"
#include "transformer/models/model.h"
#include "transformer/search/hypothesis.h"
#include "transformer/search/observer.h"
#include "transformer/search/options.h"

namespace transformer::translation {

/// search/beam_search.h by the model's modules: translates each row of `source`, (B, S), ids that end in kEos
/// and are padded behind it, on any device. Neither the result nor, beyond rounding, the score depends on the
/// other rows. The model is used in evaluation mode, without gradients, in the precision of its weights or of
/// a surrounding runtime::PrecisionScope. Throws InputError unless 1 <= nbest <= beam.
search::Found beam_search(const models::AnyModel& model, const torch::Tensor& source,
                          const search::DecodeOptions& options, const search::BeforeStep& before_step = {});

/// The same search, by the engine for CPUs. Each source ends in kEos. Neither results nor scores depend on
/// the other sources, to the last bit.
search::Found beam_search(engine::BatchDecoder& decoder, std::span<const std::vector<std::int32_t>> sources,
                          const search::DecodeOptions& options, const search::BeforeStep& before_step = {});

/// What beam_search() finds under each of `alphas` in the place of options.alpha, for little more time than
/// the longest of these searches takes: they are one.
/// An observer sees each step; what is found is the same, but on a GPU up to rounding: there the observed
/// steps are those that wait for the host.
std::vector<search::Found> beam_search_alphas(const models::AnyModel& model, const torch::Tensor& source,
                                              const search::DecodeOptions& options,
                                              std::span<const double> alphas,
                                              const search::BeforeStep& before_step = {},
                                              const search::Observer& observer = {});
std::vector<search::Found> beam_search_alphas(engine::BatchDecoder& decoder,
                                              std::span<const std::vector<std::int32_t>> sources,
                                              const search::DecodeOptions& options,
                                              std::span<const double> alphas,
                                              const search::BeforeStep& before_step = {},
                                              const search::Observer& observer = {});

}  // namespace transformer::translation
