#include "transformer/tasks/guided_attention.h"

#include <fmt/format.h>

#include <limits>

#include "transformer/base/error.h"
#include "transformer/nn/attention_record.h"

namespace transformer::tasks {
namespace {

models::AttentionLayer layer_of(const models::SequenceToSequence& model, std::int64_t number) {
  const auto layers = model.source_attentions();
  const auto count = std::ssize(layers);
  if (count == 0)
    throw InputError("train.guided_alignment: expected 0 for a model that does not attend to the source");
  if (number > count)
    throw InputError(
        fmt::format("train.guided_layer: expected at most {}, the layers that attend to the source, found {}",
                    count, number));
  const auto chosen = number > 0 ? number : std::max<std::int64_t>(count - 1, 1);
  return layers[static_cast<std::size_t>(chosen - 1)];
}

}  // namespace

torch::Tensor alignment_loss(const torch::Tensor& weights, const LinkTensors& links, train::GuidedStep step) {
  const auto rows = links.targets + (step == train::GuidedStep::reads ? 1 : 0);
  const auto places = (links.sentences * weights.size(1) + rows) * weights.size(2) + links.sources;
  // A weight that has vanished has no logarithm.
  const auto linked = weights.flatten().index_select(0, places).clamp_min(std::numeric_limits<float>::min());
  return -(links.shares.to(weights.scalar_type()) * linked.log()).sum();
}

GuidedAttention::GuidedAttention(models::SequenceToSequence& model, const train::TrainOptions& options)
    : model_(model),
      layer_(layer_of(model, options.guided_layer)),
      head_(options.guided_head - 1),
      weight_(options.guided_alignment),
      step_(options.guided_step) {
  if (options.guided_head > layer_.heads)
    throw InputError(fmt::format("train.guided_head: expected at most {}, the heads of a layer, found {}",
                                 layer_.heads, options.guided_head));
}

torch::Tensor GuidedAttention::states(const BatchTensors& batch) {
  const nn::AttentionRecord record(*layer_.module);
  auto states = model_.states(batch.source, batch.target_input);
  const auto weights = record.of(variants::Role::source).at(0).select(1, head_);
  losses_.push_back(alignment_loss(weights.to(torch::promote_types(weights.scalar_type(), torch::kFloat)),
                                   *batch.links, step_));
  return states;
}

torch::Tensor GuidedAttention::take_loss(std::size_t passes) {
  // What an error kept from being taken comes first.
  const std::vector<torch::Tensor> last(losses_.end() - static_cast<std::ptrdiff_t>(passes), losses_.end());
  losses_.clear();
  return torch::stack(last).mean() * weight_;
}

}  // namespace transformer::tasks
