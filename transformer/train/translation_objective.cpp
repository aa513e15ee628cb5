#include "transformer/train/translation_objective.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "transformer/base/random.h"
#include "transformer/data/filler.h"
#include "transformer/models/size.h"
#include "transformer/nn/norm.h"
#include "transformer/ops/label_smoothing.h"
#include "transformer/ops/r_drop.h"
#include "transformer/runtime/device_choices.h"
#include "transformer/train/epoch_steps.h"

namespace transformer::train {

namespace {

/// The parts of a batch in one buffer of 64-bit numbers, each beginning where the one before ends.
class Staging {
 public:
  Staging(std::int64_t size, bool pinned)
      : host_(torch::empty({size}, torch::TensorOptions(torch::kLong).pinned_memory(pinned))) {}

  /// → where it begins
  std::int64_t add(const std::vector<std::int64_t>& numbers) {
    const auto begin = end_;
    std::ranges::copy(numbers, next());
    end_ += std::ssize(numbers);
    return begin;
  }
  /// The position of each row in its sequence.
  std::int64_t add_places(const std::vector<std::int64_t>& offsets) {
    const auto begin = end_;
    for (std::size_t b = 1; b < offsets.size(); ++b) {
      const auto count = offsets[b] - offsets[b - 1];
      std::iota(next(), next() + count, 0);
      end_ += count;
    }
    return begin;
  }
  /// In 32 bits, two in a number.
  std::int64_t add_offsets(const std::vector<std::int64_t>& offsets) {
    const auto begin = end_;
    std::ranges::transform(offsets, reinterpret_cast<std::int32_t*>(next()),
                           [](std::int64_t offset) { return static_cast<std::int32_t>(offset); });
    end_ += numbers_for_offsets(offsets);
    return begin;
  }
  static std::int64_t numbers_for_offsets(const std::vector<std::int64_t>& offsets) {
    return (std::ssize(offsets) + 1) / 2;
  }

  torch::Tensor to(const torch::Device& device) const { return host_.to(device, /*non_blocking=*/true); }

 private:
  std::int64_t* next() { return host_.data_ptr<std::int64_t>() + end_; }

  torch::Tensor host_;
  std::int64_t end_ = 0;
};

/// length_of: of a pair, both sides with their end tokens.
template <typename LengthOf>
double flops_of(const models::AnyModel& model, const Examples::Update& update, const LengthOf& length_of) {
  models::TokenCounts counts;
  for (const auto& examples : update) {
    for (const auto i : examples) {
      const auto length = length_of(i);
      counts.add_pair(length.source, length.target);
    }
  }
  return models::training_flops(model->options(), model->vocabulary(), counts);
}

/// On the device of the model, and there in numbers of tokens that recur, unless sentences share statistics,
/// or parts from outside may let them share something.
BatchTensors on_device_of(const models::AnyModel& model, data::Batch batch) {
  const auto& options = model->options();
  const bool alone = nn::statistics_of(options.norm_type) == 0 && options.variants == variants::Choices{};
  if (!model->device().is_cpu() && alone && runtime::device_choices().recurring_shapes) data::fill_up(batch);
  return to_device(batch, model->device());
}

}  // namespace

BatchTensors to_device(const data::Batch& batch, const torch::Device& device) {
  const auto sources = std::ssize(batch.source), targets = std::ssize(batch.target_input),
             labels_count = std::ssize(batch.target_output);
  Staging staging(2 * sources + 2 * targets + labels_count +
                      Staging::numbers_for_offsets(batch.source_offsets) +
                      Staging::numbers_for_offsets(batch.target_offsets),
                  !device.is_cpu());
  const auto source = staging.add(batch.source), source_places = staging.add_places(batch.source_offsets),
             source_offsets = staging.add_offsets(batch.source_offsets);
  const auto input = staging.add(batch.target_input), labels = staging.add(batch.target_output),
             target_places = staging.add_places(batch.target_offsets),
             target_offsets = staging.add_offsets(batch.target_offsets);
  const auto all = staging.to(device);
  const auto packed = [&](std::int64_t ids, std::int64_t places, std::int64_t packed_offsets,
                          const std::vector<std::int64_t>& offsets, std::int64_t longest) {
    const auto rows = offsets.back(), count = std::ssize(offsets);
    const auto in_pairs = all.narrow(0, packed_offsets, Staging::numbers_for_offsets(offsets));
    return models::Packed{all.narrow(0, ids, rows),
                          {.offsets = torch::tensor(offsets),
                           .device_offsets = in_pairs.view(torch::kInt).narrow(0, 0, count),
                           .places = all.narrow(0, places, rows),
                           .longest = longest}};
  };
  return {packed(source, source_places, source_offsets, batch.source_offsets, batch.source_length),
          packed(input, target_places, target_offsets, batch.target_offsets, batch.target_length),
          all.narrow(0, labels, labels_count)};
}

data::BatchSize SentencePairs::size_of(const MicroBatch& examples) const {
  return data::batch_size(data_, examples);
}

double SentencePairs::flops(const Update& update) const {
  return flops_of(model_, update, [&](std::int64_t i) {
    return data::Tokens<std::int64_t>{std::ssize(data_.source(i)) + 1, std::ssize(data_.target(i)) + 1};
  });
}

std::any SentencePairs::make_batch(const MicroBatch& examples) const {
  return on_device_of(model_, data::make_batch(data_, examples));
}

double DrawnSentencePairs::flops(const Update& update) const {
  return flops_of(model_, update,
                  [&](std::int64_t i) { return pairs_.lengths()[static_cast<std::size_t>(i)]; });
}

std::any DrawnSentencePairs::make_batch(const MicroBatch& examples) const {
  return on_device_of(model_, pairs_.make_batch(examples));
}

TranslationObjective::TranslationObjective(models::AnyModel model, const data::Dataset& data,
                                           const TrainOptions& options,
                                           std::shared_ptr<const data::PairDropout> dropout)
    : model_(std::move(model)),
      mapping_(models::sequence_to_sequence(*model_)),
      data_(data),
      pairs_(std::make_shared<SentencePairs>(model_, data)),
      limits_(limits_of(options)),
      label_smoothing_(options.label_smoothing),
      dropout_(std::move(dropout)) {}

std::optional<std::string> TranslationObjective::takes_whole_updates() const {
  const auto& options = model_->options();
  if (nn::statistics_of(options.norm_type) == 0) return std::nullopt;
  return std::string("model.norm_type ") + nn::name_of(options.norm_type);
}

Epoch TranslationObjective::epoch(std::uint64_t seed, std::int64_t number) const {
  const auto limits = planned_limits(limits_, model_->options().norm_type);
  if (!dropout_) return {data::BatchPlan(data::lengths_of(data_), limits, seed, number), pairs_};
  data::DrawnPairs drawn(data_, dropout_, mix(mix(seed, number), 0),
                         models::longest_sequence(model_->options()));
  data::BatchPlan plan(drawn.lengths(), limits, seed, number);
  return {std::move(plan), std::make_shared<DrawnSentencePairs>(model_, std::move(drawn))};
}

Epoch TranslationObjective::evaluation() const {
  return {data::BatchPlan::sequential(data::lengths_of(data_), limits_.micro_tokens), pairs_};
}

torch::Tensor TranslationObjective::outputs(const std::any& batch) {
  const auto& tensors = std::any_cast<const BatchTensors&>(batch);
  return mapping_.states(tensors.source, tensors.target_input);
}

ops::TokenLoss TranslationObjective::loss(const torch::Tensor& outputs, const std::any& batch) {
  const auto& tensors = std::any_cast<const BatchTensors&>(batch);
  const auto [weight, bias] = mapping_.projection();
  return ops::projected_loss(outputs, weight, tensors.labels, label_smoothing_, bias);
}

ops::TokenLoss TranslationObjective::r_drop_loss(const torch::Tensor& first, const torch::Tensor& second,
                                                 const std::any& batch, double alpha) {
  const auto& tensors = std::any_cast<const BatchTensors&>(batch);
  const auto [weight, bias] = mapping_.projection();
  return ops::projected_r_drop_loss(first, second, weight, tensors.labels, label_smoothing_, alpha, bias);
}

void TranslationObjective::after_step(const torch::Tensor& useless) {
  if (nn::statistics_of(model_->options().norm_type) > 0) nn::keep_statistics(*model_, useless);
}

}  // namespace transformer::train
