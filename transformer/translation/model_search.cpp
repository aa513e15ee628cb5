#include "transformer/translation/model_search.h"

#include "transformer/models/encoder_decoder.h"
#include "transformer/search/beam_search.h"
#include "transformer/translation/device_steps.h"
#include "transformer/translation/module_steps.h"
#include "transformer/translation/scoring.h"

namespace transformer::translation {

std::vector<search::Found> beam_search(const models::AnyModel& model, const torch::Tensor& source,
                                       const search::DecodeOptions& options, std::span<const double> alphas,
                                       const SearchCalls& calls) {
  alphas = alphas_of(options, alphas);
  const SearchMode mode(model);
  const auto limits = length_limits(*model, source.cpu(), options);
  if (limits.empty()) return std::vector<search::Found>(alphas.size());
  // On a CPU there is nobody to wait for, and a step less is the better gain. What a device chooses by itself
  // nobody sees.
  auto own = models::as_encoder_decoder(model);
  if (!calls.observer && own && !model->device().is_cpu() &&
      !DeviceSteps::unsupported(model->options(), options))
    return search::beam_search_alphas(limits, options, alphas, DeviceSteps(own, source, limits, options),
                                      calls.before_step);
  return search::beam_search_alphas(limits, options, alphas, ModuleSteps(model, source), calls.before_step,
                                    calls.observer);
}

std::vector<search::Found> beam_search(engine::BatchDecoder& decoder,
                                       std::span<const std::vector<std::int32_t>> sources,
                                       const search::DecodeOptions& options, std::span<const double> alphas,
                                       const SearchCalls& calls) {
  alphas = alphas_of(options, alphas);
  std::vector<std::int64_t> limits;
  for (const auto& source : sources) {
    const auto tokens = static_cast<std::int64_t>(source.size()) - 1;  // without the end
    limits.push_back(search::length_limit(decoder.model().options(), tokens, options));
  }
  if (limits.empty()) return std::vector<search::Found>(alphas.size());
  decoder.start(sources, options.beam);
  const auto step = [&](const search::StepRows& rows, std::int64_t width, search::Continuations& best) {
    decoder.step(rows, width, best);
  };
  return search::beam_search_alphas(limits, options, alphas, step, calls.before_step, calls.observer);
}

}  // namespace transformer::translation
