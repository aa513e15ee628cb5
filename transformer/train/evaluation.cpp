#include "transformer/train/evaluation.h"

#include <cmath>

#include "transformer/nn/device.h"
#include "transformer/train/batch_tensors.h"

namespace transformer::train {

DataLoss evaluate_loss(models::EncoderDecoder& model, const data::Dataset& data, std::int64_t micro_tokens,
                       double label_smoothing, torch::ScalarType precision) {
  const torch::NoGradGuard no_gradients;
  const nn::Autocast autocast(model->device(), precision);
  const bool was_training = model->is_training();
  model->eval();
  DataLoss sums;
  for (const auto& indices : data::sequential_batches(data, micro_tokens)) {
    const auto batch = data::make_batch(data, indices);
    const auto loss = batch_loss(model, to_device(batch, model->device()), label_smoothing);
    sums.loss += loss.smoothed.item<double>();
    sums.nll += loss.nll.item<double>();
    sums.tokens += batch.target_tokens;
  }
  model->train(was_training);
  sums.loss /= static_cast<double>(sums.tokens);
  sums.nll /= static_cast<double>(sums.tokens);
  sums.perplexity = std::exp(sums.nll);
  return sums;
}

}  // namespace transformer::train
