#include "apps/translation_engine.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <utility>

#include "transformer/base/error.h"
#include "transformer/inference/support.h"
#include "transformer/nn/device.h"

namespace transformer::apps {

namespace {

/// Whether the engine translates with such a model; where it would, but for an option that it does not know,
/// the log says so.
bool uses_engine(const models::ModelOptions& options, const torch::Device& device,
                 const std::string& precision) {
  if (!device.is_cpu()) return false;
  const auto unknown = inference::unsupported(options);
  if (!unknown) return true;
  if (precision == "int8")
    throw InputError(fmt::format(
        "--precision int8: expected fp32 or bf16 for {}, which the engine for CPUs does not know", *unknown));
  spdlog::warn(inference::declined(*unknown));
  return false;
}

}  // namespace

inference::Precision packed_precision(const std::string& name) {
  if (name == "bf16") return inference::Precision::bf16;
  if (name == "int8") return inference::Precision::int8;
  return inference::Precision::fp32;
}

torch::Device translation_device(const std::string& device, const std::string& precision) {
  const auto chosen = nn::choose_device(device);
  if (precision == "int8" && !chosen.is_cpu())
    throw InputError("--precision int8: can be computed on the CPU only (add --device cpu)");
  return chosen;
}

TranslationEngine::TranslationEngine(const std::string& model, const std::string& device_name,
                                     const std::string& precision) {
  const auto device = translation_device(device_name, precision);
  take(checkpoints::load_model(model, device), device, precision);
}

TranslationEngine::TranslationEngine(checkpoints::LoadedModel model, const torch::Device& device,
                                     const std::string& precision) {
  model.model->to(device);
  take(std::move(model), device, precision);
}

void TranslationEngine::take(checkpoints::LoadedModel model, const torch::Device& device,
                             const std::string& precision) {
  loaded_ = std::move(model);
  longest_source_ = decode::longest_source(loaded_.model->options());
  if (uses_engine(loaded_.model->options(), device, precision)) {
    packed_.emplace(loaded_.model, packed_precision(precision));
    loaded_.model = nullptr;
  } else {
    loaded_.model->to(nn::choose_precision(precision, device));
  }
}

std::vector<decode::Translation> TranslationEngine::translate(std::span<const std::string> lines,
                                                              const decode::DecodeOptions& options,
                                                              const decode::TranslateCallbacks& callbacks) {
  return std::move(translate_alphas(lines, options, {&options.alpha, 1}, callbacks).front());
}

std::vector<std::vector<decode::Translation>> TranslationEngine::translate_alphas(
    std::span<const std::string> lines, const decode::DecodeOptions& options, std::span<const double> alphas,
    const decode::TranslateCallbacks& callbacks) {
  const auto& [source, target] = std::tie(*loaded_.tokenizers.source, *loaded_.tokenizers.target);
  if (!packed_)
    return decode::translate_alphas(loaded_.model, source, target, lines, options, alphas, callbacks);
  return decode::translate_alphas(*packed_, source, target, lines, options, alphas,
                                  static_cast<std::size_t>(at::get_num_threads()), callbacks);
}

}  // namespace transformer::apps
