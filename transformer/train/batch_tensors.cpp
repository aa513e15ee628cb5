#include "transformer/train/batch_tensors.h"

#include "transformer/base/special_tokens.h"

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

torch::Tensor batch_states(models::EncoderDecoder& model, const BatchTensors& batch) {
  const auto states = model->decode(batch.target_input, model->encode(batch.source));  // (B, T, D)
  return states.flatten(0, 1).index_select(0, batch.positions);
}

TokenLoss batch_loss(models::EncoderDecoder& model, const BatchTensors& batch, double label_smoothing) {
  return projected_loss(batch_states(model, batch), model->output_weight(), batch.labels, label_smoothing,
                        model->output_bias);
}

}  // namespace transformer::train
