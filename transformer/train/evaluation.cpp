#include "transformer/train/evaluation.h"

#include <cmath>

#include "transformer/base/error.h"
#include "transformer/nn/device.h"
#include "transformer/train/batch_tensors.h"

namespace transformer::train {
namespace {

/// Restores the mode, whatever happens.
class EvaluationMode {
 public:
  explicit EvaluationMode(models::EncoderDecoder& model)
      : model_(model), was_training_(model->is_training()) {
    model_->eval();
  }
  ~EvaluationMode() { model_->train(was_training_); }
  EvaluationMode(const EvaluationMode&) = delete;
  EvaluationMode& operator=(const EvaluationMode&) = delete;

 private:
  models::EncoderDecoder& model_;
  bool was_training_;
};

}  // namespace

DataLoss evaluate_loss(models::EncoderDecoder& model, const data::Dataset& data, std::int64_t micro_tokens,
                       double label_smoothing, torch::ScalarType precision,
                       const std::atomic<bool>* interrupted) {
  const torch::NoGradGuard no_gradients;
  const nn::Autocast autocast(model->device(), precision);
  const EvaluationMode mode(model);
  DataLoss sums;
  for (const auto& indices : data::sequential_batches(data, micro_tokens)) {
    if (interrupted && *interrupted) throw Interrupted();
    const auto batch = data::make_batch(data, indices);
    const auto loss = batch_loss(model, to_device(batch, model->device()), label_smoothing);
    sums.loss += loss.smoothed.item<double>();
    sums.nll += loss.nll.item<double>();
    sums.tokens += batch.target_tokens;
  }
  sums.loss /= static_cast<double>(sums.tokens);
  sums.nll /= static_cast<double>(sums.tokens);
  sums.perplexity = std::exp(sums.nll);
  return sums;
}

}  // namespace transformer::train
