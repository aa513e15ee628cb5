#include "transformer/tasks/next_tokens.h"

#include <fmt/format.h>

#include <utility>

#include "transformer/base/error.h"
#include "transformer/base/random.h"
#include "transformer/data/labelled_texts.h"
#include "transformer/models/size.h"
#include "transformer/nn/norm.h"
#include "transformer/ops/dropout.h"
#include "transformer/ops/label_smoothing.h"
#include "transformer/ops/linear.h"
#include "transformer/ops/r_drop.h"
#include "transformer/train/epoch_steps.h"

namespace transformer::tasks {
namespace {

constexpr std::uint64_t kEvaluationSeed = 1;  // of masks

std::shared_ptr<const data::ExampleSource> examples_of(const data::Dataset& data, const Drawing& drawing) {
  if (drawing.labels && drawing.labels->answers)
    return std::make_shared<data::LabelledTexts>(data, drawing.labels->begins, drawing.labels->values);
  if (drawing.labels) return std::make_shared<data::LabelledTexts>(data, drawing.labels->begins);
  return data::examples_of(data, drawing.block);
}

std::shared_ptr<const data::ExampleSource> masked(std::shared_ptr<const data::ExampleSource> texts,
                                                  const Drawing& drawing, std::uint64_t seed) {
  if (!drawing.masking) return texts;
  return std::make_shared<data::MaskedTexts>(std::move(texts), *drawing.masking, seed);
}

/// The mean of each text's states, in fp32. states: (N, D) → (B, D)
torch::Tensor mean_states(const torch::Tensor& states, const ops::Sequences& texts) {
  const auto lengths = texts.device_offsets.diff().to(torch::kLong);
  return torch::segment_reduce(states.to(torch::kFloat), "mean", lengths, {}, {}, 0, /*unsafe=*/true);
}

/// What an encoder predicts masked tokens or labels from: of answers all states. Masks of dropout in front of
/// labels of words are those of their positions.
torch::Tensor chosen_states(models::TextEncoder& encoder, const BatchTensors& batch,
                            const models::EncoderOptions& options) {
  const auto head = options.head;
  const auto places = batch.target_input.rows.narrow(0, 0, batch.labels.size(0));
  if (head == models::Head::words || head == models::Head::span) {
    const auto states = encoder.states(batch.source);
    const ops::PackedRows rows(batch.source.sequences);
    const auto all = encoder.for_output(states);
    return head == models::Head::span ? all : all.index_select(0, places);
  }
  const auto states = encoder.states(batch.source);
  if (is_of_texts(head) && options.pooling == models::Pooling::mean)
    return encoder.for_output(mean_states(states, batch.source.sequences).to(states.scalar_type()));
  return encoder.for_output(states.index_select(0, places));
}

}  // namespace

NextTokens::NextTokens(models::AnyModel model, const data::Dataset& data, const train::TrainOptions& options,
                       Drawing drawing)
    : model_(std::move(model)),
      data_(data),
      drawing_(std::move(drawing)),
      whole_(std::make_shared<TextExamples>(
          model_, masked(examples_of(data, drawing_), drawing_, kEvaluationSeed), drawing_.linker)),
      limits_(train::limits_of(options)),
      label_smoothing_(options.label_smoothing),
      r_drop_(options.r_drop),
      term_(train::make_loss_term(options)) {
  if (drawing_.masking) {
    auto& encoder = models::text_encoder(*model_);
    if (const auto head = model_->options().encoder.head; head != models::Head::none)
      throw InputError(
          fmt::format("model.head: expected none for masked tokens (data.examples: documents), found '{}'",
                      name_of(head)));
    states_ = [&](const BatchTensors& batch) { return chosen_states(encoder, batch, {}); };
    projection_ = [&] { return encoder.projection(); };
  } else if (drawing_.labels) {
    auto& encoder = models::text_encoder(*model_);
    states_ = [&encoder, options = model_->options().encoder](const BatchTensors& batch) {
      return chosen_states(encoder, batch, options);
    };
    projection_ = [&] { return encoder.projection(); };
  } else if (data.has_source()) {
    auto& mapping = models::sequence_to_sequence(*model_);
    if (drawing_.linker) guided_.emplace(mapping, options);
    states_ = [&](const BatchTensors& batch) {
      return guided_ ? guided_->states(batch) : mapping.states(batch.source, batch.target_input);
    };
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
  auto source =
      drawing_.labels ? whole_->shared_source() : data::examples_of(data_, drawing_.block, seed, number);
  if (drawing_.dropout)
    source = std::make_shared<data::DrawnPairs>(data_, drawing_.dropout, mix(mix(seed, number), 0),
                                                models::longest_sequence(model_->options()));
  source = masked(std::move(source), drawing_, mix(mix(seed, number), 1));
  return {data::BatchPlan(source->lengths(), limits, seed, number, drawing_.shares),
          std::make_shared<TextExamples>(model_, source, drawing_.linker)};
}

train::Epoch NextTokens::evaluation() const {
  return {data::BatchPlan::sequential(whole_->source().lengths(), limits_.micro_tokens), whole_};
}

torch::Tensor NextTokens::outputs(const std::any& batch) {
  return states_(std::any_cast<const BatchTensors&>(batch));
}

/// Two cross-entropies over the tokens of each text: the answer begins at one token and ends at another.
/// logits: (N, 2)
ops::TokenLoss NextTokens::answer_loss(const torch::Tensor& logits, const BatchTensors& batch) const {
  const auto count = batch.labels.size(0) / 2;
  const auto chosen = logits.index_select(0, batch.labels).view({count, 2, 2}).diagonal(0, 1, 2);  // (B, 2)
  const auto* offsets = batch.source.sequences.host_offsets();
  std::vector<torch::Tensor> sums, means;  // (2) each
  for (std::int64_t i = 0; i < count; ++i) {
    const auto text = logits.slice(0, offsets[i], offsets[i + 1]);
    sums.push_back(text.logsumexp(0));
    means.push_back(text.mean(0));
  }
  const auto all = torch::stack(sums);
  const auto nll = all - chosen;
  const auto smoothed = (1 - label_smoothing_) * nll + label_smoothing_ * (all - torch::stack(means));
  return {smoothed.sum(), nll.detach().sum()};
}

ops::TokenLoss NextTokens::label_loss(const torch::Tensor& outputs, const BatchTensors& batch) const {
  const auto& labels = batch.labels;
  const auto [weight, bias] = projection_();
  const auto logits =
      ops::linear(outputs, weight, bias).to(torch::promote_types(outputs.scalar_type(), torch::kFloat));
  if (drawing_.labels->answers) return answer_loss(logits, batch);
  const auto looked_up = [&](const std::vector<double>& table) {
    return torch::tensor(table, torch::kDouble)
        .to(logits.device(), logits.scalar_type())
        .index_select(0, labels);
  };
  if (!drawing_.labels->values.empty()) {
    const auto errors = (logits.squeeze(1) - looked_up(drawing_.labels->values)).square().sum();
    return {errors, errors.detach()};
  }
  const auto logarithms = torch::log_softmax(logits, -1);
  const auto nll = -logarithms.gather(1, labels.unsqueeze(1)).squeeze(1);
  const auto smoothed = (1 - label_smoothing_) * nll - label_smoothing_ * logarithms.mean(-1);
  return {(smoothed * looked_up(drawing_.labels->weights)).sum(), nll.detach().sum()};
}

ops::TokenLoss NextTokens::loss(const std::vector<torch::Tensor>& outputs, const std::any& batch) {
  const auto& tensors = std::any_cast<const BatchTensors&>(batch);
  const auto& labels = tensors.labels;
  if (drawing_.labels && !(drawing_.labels->values.empty() && drawing_.labels->weights.empty())) {
    auto sums = label_loss(outputs[0], tensors);
    for (std::size_t i = 1; i < outputs.size(); ++i)
      sums.smoothed = sums.smoothed + label_loss(outputs[i], tensors).smoothed;
    sums.smoothed = sums.smoothed / static_cast<double>(outputs.size());
    return sums;
  }
  const auto [weight, bias] = projection_();
  const bool all = tensors.all_labels.defined() && predicts_each_token();
  auto sums = outputs.size() == 1 ? ops::projected_loss(outputs[0], weight, all ? tensors.all_labels : labels,
                                                        label_smoothing_, bias)
                                  : ops::projected_r_drop_loss(outputs[0], outputs[1], weight, labels,
                                                               label_smoothing_, r_drop_, bias);
  if (guided_)
    sums.smoothed = sums.smoothed + guided_->take_loss(outputs.size()).to(sums.smoothed.scalar_type());
  if (!term_) return sums;
  for (const auto& states : outputs) {
    const auto logits = ops::linear(states.narrow(0, 0, labels.size(0)), weight, bias);
    sums.smoothed = sums.smoothed + term_->forward(logits, labels) / static_cast<double>(outputs.size());
  }
  return sums;
}

std::vector<std::int64_t> NextTokens::shape_of(const std::any& batch) const {
  const auto& tensors = std::any_cast<const BatchTensors&>(batch);
  const auto& options = model_->options();
  const bool simple = predicts_each_token() && passes() == 1 && !guided_ && !term_ &&
                      models::stacks_of(options).any() && nn::statistics_of(options.norm_type) == 0 &&
                      options.variants == variants::Choices{};
  if (!simple || !tensors.all_labels.defined()) return {};
  return tasks::shape_of(tensors);
}

void NextTokens::refill(const std::any& batch, const std::any& from) const {
  std::any_cast<const BatchTensors&>(batch).memory.copy_(std::any_cast<const BatchTensors&>(from).memory);
}

void NextTokens::after_step(const torch::Tensor& useless) {
  if (nn::statistics_of(model_->options().norm_type) > 0) nn::keep_statistics(*model_, useless);
}

}  // namespace transformer::tasks
