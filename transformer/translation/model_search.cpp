#include "transformer/translation/model_search.h"

#include <algorithm>
#include <utility>

#include "transformer/models/encoder_decoder.h"
#include "transformer/runtime/memory.h"
#include "transformer/search/beam_search.h"
#include "transformer/translation/device_steps.h"
#include "transformer/translation/module_steps.h"
#include "transformer/translation/scoring.h"

namespace transformer::translation {
namespace {

std::vector<std::int64_t> with_prefixes(std::vector<std::int64_t> limits, const SearchCalls& calls) {
  for (std::size_t i = 0; i < calls.prefixes.size(); ++i)
    limits[i] = std::max(limits[i], std::ssize(calls.prefixes[i]));
  return limits;
}

std::vector<std::int64_t> limits_of(const models::Model& model, const torch::Tensor& source,
                                    const search::DecodeOptions& options, const SearchCalls& calls) {
  return with_prefixes(length_limits(model, source.cpu(), options), calls);
}

std::vector<std::int64_t> limits_of(const engine::PackedModel& model,
                                    std::span<const std::vector<std::int32_t>> sources,
                                    const search::DecodeOptions& options, const SearchCalls& calls) {
  std::vector<std::int64_t> limits;
  for (const auto& source : sources)  // without the end
    limits.push_back(search::length_limit(model.options(), std::ssize(source) - 1, options));
  return with_prefixes(std::move(limits), calls);
}

/// By steps for which the device does not wait. Without graphs they need less memory.
std::vector<search::Found> search_ahead(models::EncoderDecoder model, const torch::Tensor& source,
                                        const std::vector<std::int64_t>& limits,
                                        const search::DecodeOptions& options, std::span<const double> alphas,
                                        const SearchCalls& calls, StepGraphs* graphs) {
  while (true) {
    const bool has_graphs = graphs != nullptr && !graphs->declined();
    try {
      return search::beam_search_alphas(
          limits, options, alphas, DeviceSteps(model, source, limits, options, graphs), calls.before_step);
    } catch (const std::exception& error) {
      if (!has_graphs || !runtime::is_out_of_memory(error)) throw;
    }
    // Outside the handler: the exception keeps alive what its stack refers to.
    if (!graphs->declined()) graphs->decline("there is too little memory");
  }
}

search::Bounds bounds_of(const SearchCalls& calls) {
  return {.prefixes = calls.prefixes, .trees = calls.trees};
}

}  // namespace

std::vector<search::Found> beam_search(const models::AnyModel& model, const torch::Tensor& source,
                                       const search::DecodeOptions& options, std::span<const double> alphas,
                                       const SearchCalls& calls) {
  ModuleDecoder decoder(model);
  return beam_search(decoder, source, options, alphas, calls);
}

std::vector<search::Found> beam_search(ModuleDecoder& decoder, const torch::Tensor& source,
                                       const search::DecodeOptions& options, std::span<const double> alphas,
                                       const SearchCalls& calls) {
  const auto& model = decoder.model();
  alphas = alphas_of(options, alphas);
  const SearchMode mode(model);
  const ops::WorkingWeights::Use kept(decoder.weights());
  const auto limits = limits_of(*model, source, options, calls);
  if (limits.empty()) return std::vector<search::Found>(alphas.size());
  // On a CPU there is nobody to wait for, and a step less is the better gain. What a device chooses by itself
  // nobody sees.
  const auto own = models::as_encoder_decoder(model);
  if (!calls.observer && calls.prefixes.empty() && !calls.trees && own && !model->device().is_cpu() &&
      !DeviceSteps::unsupported(model->options(), options))
    return search_ahead(own, source, limits, options, alphas, calls, decoder.graphs());
  return search::beam_search_alphas(limits, options, alphas, ModuleSteps(model, source), calls.before_step,
                                    calls.observer, bounds_of(calls));
}

std::vector<search::Found> beam_search(engine::BatchDecoder& decoder,
                                       std::span<const std::vector<std::int32_t>> sources,
                                       const search::DecodeOptions& options, std::span<const double> alphas,
                                       const SearchCalls& calls) {
  alphas = alphas_of(options, alphas);
  const auto limits = limits_of(decoder.model(), sources, options, calls);
  if (limits.empty()) return std::vector<search::Found>(alphas.size());
  decoder.start(sources, options.beam);
  const auto step = [&](const search::StepRows& rows, std::int64_t width, search::Continuations& best) {
    decoder.step(rows, width, best);
  };
  return search::beam_search_alphas(limits, options, alphas, step, calls.before_step, calls.observer,
                                    bounds_of(calls));
}

search::Found draw(const models::AnyModel& model, const torch::Tensor& source,
                   const search::DecodeOptions& options, const search::DrawOptions& drawing,
                   std::span<const std::size_t> numbers, const SearchCalls& calls) {
  const SearchMode mode(model);
  ModuleSteps steps(model, source);
  torch::Tensor logits;
  const auto step = [&](const search::StepRows& rows) {
    logits = steps.logits(rows).to(torch::kCPU, torch::kFloat).contiguous();
    return std::span(logits.const_data_ptr<float>(), static_cast<std::size_t>(logits.numel()));
  };
  return search::draw(limits_of(*model, source, options, calls), numbers, drawing, step, calls.before_step,
                      {calls.prefixes});
}

search::Found draw(engine::BatchDecoder& decoder, std::span<const std::vector<std::int32_t>> sources,
                   const search::DecodeOptions& options, const search::DrawOptions& drawing,
                   std::span<const std::size_t> numbers, const SearchCalls& calls) {
  decoder.start(sources, drawing.samples);
  const auto step = [&](const search::StepRows& rows) { return decoder.logits(rows); };
  return search::draw(limits_of(decoder.model(), sources, options, calls), numbers, drawing, step,
                      calls.before_step, {calls.prefixes});
}

}  // namespace transformer::translation
