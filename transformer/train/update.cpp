#include "transformer/train/update.h"

#include "transformer/nn/device.h"
#include "transformer/train/batch_tensors.h"

namespace transformer::train {
namespace {

void count_tokens(const data::Dataset& data, const data::BatchPlan::Update& update, UpdateResult& result) {
  for (const auto& indices : update) {
    for (const auto i : indices) {
      const auto source = static_cast<std::int64_t>(data.source(i).size()) + 1;
      const auto target = static_cast<std::int64_t>(data.target(i).size()) + 1;
      result.source_tokens += source;
      result.target_tokens += target;
      result.counts.add_pair(source, target);
    }
  }
}

}  // namespace

UpdateResult run_update(models::EncoderDecoder& model, Adam& adam, const data::Dataset& data,
                        const data::BatchPlan::Update& update, const UpdateSettings& settings) {
  UpdateResult result;
  count_tokens(data, update, result);
  adam.clear_gradients();
  torch::Tensor loss, nll;  // summed on the device: reading them back would wait for it at each micro-batch
  for (const auto& indices : update) {
    const auto batch = to_device(data::make_batch(data, indices), model->device());
    TokenLoss sums;
    {
      const nn::Autocast autocast(model->device(), settings.precision);
      sums = batch_loss(model, batch, settings.label_smoothing);
    }
    (sums.smoothed / static_cast<double>(result.target_tokens)).backward();
    const auto smoothed = sums.smoothed.detach();
    loss = loss.defined() ? loss + smoothed : smoothed;
    nll = nll.defined() ? nll + sums.nll : sums.nll;
  }
  result.gradient_norm = adam.clip_gradients(settings.clip);
  adam.step(settings.learning_rate);
  result.loss = loss.item<double>();
  result.nll = nll.item<double>();
  return result;
}

}  // namespace transformer::train
