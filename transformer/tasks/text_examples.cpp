#include "transformer/tasks/text_examples.h"

#include "transformer/data/filler.h"
#include "transformer/models/size.h"
#include "transformer/nn/norm.h"
#include "transformer/runtime/device_choices.h"
#include "transformer/tasks/batch_tensors.h"

namespace transformer::tasks {

double TextExamples::flops(const Update& update) const {
  models::TokenCounts counts;
  for (const auto& examples : update) {
    for (const auto i : examples) {
      const auto length = source_->length(i);
      counts.add_pair(length.source, length.target);
    }
  }
  return models::training_flops(model_->options(), model_->vocabulary(), counts);
}

/// On a device a batch has a number of tokens that recurs, unless sentences share statistics, or parts from
/// outside may let them share something.
std::any TextExamples::make_batch(const MicroBatch& examples) const {
  auto batch = source_->make_batch(examples);
  const auto& options = model_->options();
  const bool alone = nn::statistics_of(options.norm_type) == 0 && options.variants == variants::Choices{};
  if (!model_->device().is_cpu() && alone && runtime::device_choices().recurring_shapes) data::fill_up(batch);
  auto tensors = to_device(batch, model_->device());
  if (linker_) tensors.links = to_device(linker_->links_of(batch), model_->device());
  return tensors;
}

}  // namespace transformer::tasks
