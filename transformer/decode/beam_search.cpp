#include "transformer/decode/beam_search.h"

#include <utility>

#include "transformer/decode/module_steps.h"
#include "transformer/decode/scoring.h"
#include "transformer/decode/search.h"

namespace transformer::decode {

Found beam_search(models::EncoderDecoder& model, const torch::Tensor& source, const DecodeOptions& options,
                  const BeforeStep& before_step) {
  return std::move(beam_search_alphas(model, source, options, {&options.alpha, 1}, before_step).front());
}

Found beam_search(inference::BatchDecoder& decoder, std::span<const std::vector<std::int32_t>> sources,
                  const DecodeOptions& options, const BeforeStep& before_step) {
  return std::move(beam_search_alphas(decoder, sources, options, {&options.alpha, 1}, before_step).front());
}

std::vector<Found> beam_search_alphas(models::EncoderDecoder& model, const torch::Tensor& source,
                                      const DecodeOptions& options, std::span<const double> alphas,
                                      const BeforeStep& before_step) {
  const SearchMode mode(model);
  const auto limits = length_limits(model, source.cpu(), options);
  if (limits.empty()) return std::vector<Found>(alphas.size());
  return search_alphas(limits, options, alphas, ModuleSteps(model, source), before_step);
}

std::vector<Found> beam_search_alphas(inference::BatchDecoder& decoder,
                                      std::span<const std::vector<std::int32_t>> sources,
                                      const DecodeOptions& options, std::span<const double> alphas,
                                      const BeforeStep& before_step) {
  std::vector<std::int64_t> limits;
  for (const auto& source : sources) {
    const auto tokens = static_cast<std::int64_t>(source.size()) - 1;  // without the end
    limits.push_back(length_limit(decoder.model().options(), tokens, options));
  }
  if (limits.empty()) return std::vector<Found>(alphas.size());
  decoder.start(sources, options.beam);
  const auto step = [&](const inference::StepRows& rows, std::int64_t width, inference::Continuations& best) {
    decoder.step(rows, width, best);
  };
  return search_alphas(limits, options, alphas, step, before_step);
}

}  // namespace transformer::decode
