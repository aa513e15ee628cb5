#include "transformer/train/translation_objective.h"

#include <utility>

#include "transformer/base/special_tokens.h"
#include "transformer/models/size.h"
#include "transformer/ops/label_smoothing.h"

namespace transformer::train {

BatchTensors to_device(const data::Batch& batch, const torch::Device& device) {
  std::vector<std::int64_t> labels, positions;
  labels.reserve(batch.target_output.size());
  positions.reserve(batch.target_output.size());
  for (std::size_t i = 0; i < batch.target_output.size(); ++i) {
    if (batch.target_output[i] == kPad) continue;
    labels.push_back(batch.target_output[i]);
    positions.push_back(static_cast<std::int64_t>(i));
  }
  const auto matrix = [&](const std::vector<std::int64_t>& ids, std::int64_t columns) {
    return torch::tensor(ids).view({batch.rows, columns}).to(device);
  };
  return {matrix(batch.source, batch.source_length), matrix(batch.target_input, batch.target_length),
          torch::tensor(labels).to(device), torch::tensor(positions).to(device)};
}

data::BatchSize SentencePairs::size_of(const MicroBatch& examples) const {
  return data::batch_size(data_, examples);
}

double SentencePairs::flops(const Update& update) const {
  models::TokenCounts counts;
  for (const auto& examples : update)
    for (const auto i : examples)
      counts.add_pair(std::ssize(data_.source(i)) + 1, std::ssize(data_.target(i)) + 1);
  return models::training_flops(model_->options(), model_->vocabulary(), counts);
}

std::any SentencePairs::make_batch(const MicroBatch& examples) const {
  return to_device(data::make_batch(data_, examples), model_->device());
}

TranslationObjective::TranslationObjective(models::EncoderDecoder model, const data::Dataset& data,
                                           const TrainOptions& options)
    : model_(std::move(model)),
      data_(data),
      pairs_(std::make_shared<SentencePairs>(model_, data)),
      limits_{options.source_tokens, options.target_tokens, options.micro_tokens},
      label_smoothing_(options.label_smoothing) {}

Epoch TranslationObjective::epoch(std::uint64_t seed, std::int64_t number) const {
  return {data::BatchPlan(data::lengths_of(data_), limits_, seed, number), pairs_};
}

Epoch TranslationObjective::evaluation() const {
  return {data::BatchPlan::sequential(data::lengths_of(data_), limits_.micro_tokens), pairs_};
}

torch::Tensor TranslationObjective::outputs(const std::any& batch) {
  const auto& tensors = std::any_cast<const BatchTensors&>(batch);
  const auto states = model_->decode(tensors.target_input, model_->encode(tensors.source));  // (B, T, D)
  return states.flatten(0, 1).index_select(0, tensors.positions);
}

ops::TokenLoss TranslationObjective::loss(const torch::Tensor& outputs, const std::any& batch) {
  const auto& tensors = std::any_cast<const BatchTensors&>(batch);
  return ops::projected_loss(outputs, model_->output_weight(), tensors.labels, label_smoothing_,
                             model_->output_bias);
}

}  // namespace transformer::train
