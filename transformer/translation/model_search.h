// Section 6.1: beam search with a model, by its modules or by the engine for CPUs.
#pragma once

#include <torch/types.h>

#include <span>
#include <vector>

#include "transformer/engine/batch_decoder.h"
#include "transformer/models/model.h"
#include "transformer/search/draws.h"
#include "transformer/search/hypothesis.h"
#include "transformer/search/observer.h"
#include "transformer/search/options.h"
#include "transformer/translation/module_decoder.h"

namespace transformer::translation {

/// What is called while a search is at work.
struct SearchCalls {
  search::BeforeStep before_step = {};
  search::Observer observer = {};  ///< of each step; what is found is the same
  /// What each sentence's outputs begin with; empty: they are free. A longer one raises the length limit.
  std::span<const std::vector<std::int32_t>> prefixes = {};
  search::TreeOutputs trees = {};  ///< what each sentence's outputs are; drawn ones need be none
};

/// The values of alpha that a search is for: those given, or options.alpha where there are none.
inline std::span<const double> alphas_of(const search::DecodeOptions& options,
                                         std::span<const double> alphas) {
  return alphas.empty() ? std::span(&options.alpha, 1) : alphas;
}

/// search/beam_search.h by the model's modules: [alpha][sentence]. Translates each row of `source`, (B, S),
/// ids that end in kEos and are padded behind it, on any device. Neither the result nor, beyond rounding, the
/// score depends on the other rows. The model is used in evaluation mode, without gradients, in the precision
/// of its weights or of a surrounding runtime::PrecisionScope.
///
/// Each of `alphas` takes the place of options.alpha; without any that one is searched for. They share one
/// search, which takes little more time than the longest of theirs.
///
/// On a GPU what an observer sees is equal up to rounding: observed steps are those that wait for the host.
/// Steps with prefixes or trees wait for it, too.
///
/// Throws InputError unless 1 <= nbest <= beam.
std::vector<search::Found> beam_search(ModuleDecoder& decoder, const torch::Tensor& source,
                                       const search::DecodeOptions& options,
                                       std::span<const double> alphas = {}, const SearchCalls& calls = {});
/// The same with a decoder for this search alone.
std::vector<search::Found> beam_search(const models::AnyModel& model, const torch::Tensor& source,
                                       const search::DecodeOptions& options,
                                       std::span<const double> alphas = {}, const SearchCalls& calls = {});

/// The same search, by the engine for CPUs. Each source ends in kEos. Neither results nor scores depend on
/// the other sources, to the last bit.
std::vector<search::Found> beam_search(engine::BatchDecoder& decoder,
                                       std::span<const std::vector<std::int32_t>> sources,
                                       const search::DecodeOptions& options,
                                       std::span<const double> alphas = {}, const SearchCalls& calls = {});

/// search/draws.h by the model's modules, and by the engine. numbers: of the sentences. Of `options` it reads
/// the length limit.
search::Found draw(const models::AnyModel& model, const torch::Tensor& source,
                   const search::DecodeOptions& options, const search::DrawOptions& drawing,
                   std::span<const std::size_t> numbers, const SearchCalls& calls = {});
search::Found draw(engine::BatchDecoder& decoder, std::span<const std::vector<std::int32_t>> sources,
                   const search::DecodeOptions& options, const search::DrawOptions& drawing,
                   std::span<const std::size_t> numbers, const SearchCalls& calls = {});

}  // namespace transformer::translation
