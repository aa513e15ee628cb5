#include "transformer/tasks/next_tokens.h"

#include <utility>

#include "transformer/base/random.h"
#include "transformer/models/size.h"
#include "transformer/nn/norm.h"
#include "transformer/ops/label_smoothing.h"
#include "transformer/ops/linear.h"
#include "transformer/ops/r_drop.h"
#include "transformer/train/epoch_steps.h"

namespace transformer::tasks {

NextTokens::NextTokens(models::AnyModel model, const data::Dataset& data, const train::TrainOptions& options,
                       Drawing drawing)
    : model_(std::move(model)),
      data_(data),
      drawing_(std::move(drawing)),
      whole_(std::make_shared<TextExamples>(model_, data::examples_of(data, drawing_.block))),
      limits_(train::limits_of(options)),
      label_smoothing_(options.label_smoothing),
      r_drop_(options.r_drop),
      term_(train::make_loss_term(options)) {
  if (data.has_source()) {
    auto& mapping = models::sequence_to_sequence(*model_);
    states_ = [&](const BatchTensors& batch) { return mapping.states(batch.source, batch.target_input); };
    projection_ = [&] { return mapping.projection(); };
  } else {
    auto& language = models::language_model(*model_);
    states_ = [&](const BatchTensors& batch) { return language.states(batch.target_input); };
    projection_ = [&] { return language.projection(); };
  }
}

std::optional<std::string> NextTokens::takes_whole_updates() const {
  const auto& options = model_->options();
  if (nn::statistics_of(options.norm_type) == 0) return std::nullopt;
  return std::string("model.norm_type ") + nn::name_of(options.norm_type);
}

train::Epoch NextTokens::epoch(std::uint64_t seed, std::int64_t number) const {
  const auto limits = train::planned_limits(limits_, model_->options().norm_type);
  auto source = data::examples_of(data_, drawing_.block, seed, number);
  if (drawing_.dropout)
    source = std::make_shared<data::DrawnPairs>(data_, drawing_.dropout, mix(mix(seed, number), 0),
                                                models::longest_sequence(model_->options()));
  return {data::BatchPlan(source->lengths(), limits, seed, number),
          std::make_shared<TextExamples>(model_, source)};
}

train::Epoch NextTokens::evaluation() const {
  return {data::BatchPlan::sequential(whole_->source().lengths(), limits_.micro_tokens), whole_};
}

torch::Tensor NextTokens::outputs(const std::any& batch) {
  return states_(std::any_cast<const BatchTensors&>(batch));
}

ops::TokenLoss NextTokens::loss(const std::vector<torch::Tensor>& outputs, const std::any& batch) {
  const auto& labels = std::any_cast<const BatchTensors&>(batch).labels;
  const auto [weight, bias] = projection_();
  auto sums = outputs.size() == 1 ? ops::projected_loss(outputs[0], weight, labels, label_smoothing_, bias)
                                  : ops::projected_r_drop_loss(outputs[0], outputs[1], weight, labels,
                                                               label_smoothing_, r_drop_, bias);
  if (!term_) return sums;
  for (const auto& states : outputs) {
    const auto logits = ops::linear(states.narrow(0, 0, labels.size(0)), weight, bias);
    sums.smoothed = sums.smoothed + term_->forward(logits, labels) / static_cast<double>(outputs.size());
  }
  return sums;
}

void NextTokens::after_step(const torch::Tensor& useless) {
  if (nn::statistics_of(model_->options().norm_type) > 0) nn::keep_statistics(*model_, useless);
}

}  // namespace transformer::tasks
