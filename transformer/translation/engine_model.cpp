#include "transformer/translation/engine_model.h"

#include <spdlog/spdlog.h>

#include "transformer/engine/support.h"

namespace transformer::translation {

bool uses_engine(const models::ModelOptions& options, const torch::Device& device) {
  return device.is_cpu() && !engine::unsupported(options);
}

void warn_if_declined(const models::ModelOptions& options, const torch::Device& device) {
  const auto unknown = engine::unsupported(options);
  if (unknown && device.is_cpu()) spdlog::warn(engine::declined(*unknown));
}

engine::PackedModel pack(const models::AnyModel& model, engine::Precision precision, kernels::Isa isa) {
  const torch::NoGradGuard no_gradients;
  std::vector<torch::Tensor> kept;  // as long as the weights are looked at
  engine::Weights weights;
  for (const auto& parameter : model->named_parameters()) {
    kept.push_back(parameter.value().to(torch::kCPU, torch::kFloat).contiguous());
    weights[parameter.key()] = {kept.back().sizes().vec(), kept.back().const_data_ptr<float>()};
  }
  return {model->options(), model->vocabulary(), weights, precision, isa};
}

}  // namespace transformer::translation
