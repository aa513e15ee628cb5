#include "apps/translation_engine.h"

#include <ATen/Parallel.h>

#include "transformer/base/error.h"
#include "transformer/nn/device.h"

namespace transformer::apps {

inference::Precision packed_precision(const std::string& name) {
  if (name == "bf16") return inference::Precision::bf16;
  if (name == "int8") return inference::Precision::int8;
  return inference::Precision::fp32;
}

TranslationEngine::TranslationEngine(const std::string& model, const std::string& device_name,
                                     const std::string& precision) {
  const auto device = nn::choose_device(device_name);
  if (precision == "int8" && !device.is_cpu())
    throw InputError("--precision int8: can be computed on the CPU only (add --device cpu)");
  loaded_ = store::load_model(model, device);
  longest_source_ = decode::longest_source(loaded_.model->options());
  if (device.is_cpu()) {
    packed_.emplace(loaded_.model, packed_precision(precision));
    loaded_.model = nullptr;
  } else {
    loaded_.model->to(nn::choose_precision(precision, device));
  }
}

std::vector<decode::Translation> TranslationEngine::translate(std::span<const std::string> lines,
                                                              const decode::DecodeOptions& options,
                                                              const decode::TranslateCallbacks& callbacks) {
  const auto& [source, target] = std::tie(*loaded_.tokenizers.source, *loaded_.tokenizers.target);
  if (!packed_) return decode::translate(loaded_.model, source, target, lines, options, callbacks);
  return decode::translate(*packed_, source, target, lines, options,
                           static_cast<std::size_t>(at::get_num_threads()), callbacks);
}

}  // namespace transformer::apps
