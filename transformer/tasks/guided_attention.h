// Guided attention: a head of a decoder's attention to the source learns given links of words, besides the
// translation (Chen et al. 2016; Garg et al. 2019, section 4).
#pragma once

#include <memory>
#include <vector>

#include "transformer/data/piece_links.h"
#include "transformer/models/model.h"
#include "transformer/tasks/batch_tensors.h"
#include "transformer/train/options.h"

namespace transformer::tasks {

/// The cross-entropy of a head's weights against links: − Σ share · log weight over all of them, 0 without
/// any. Garg et al. divide it by the number of the target's tokens, as an update does. weights: (B, T, S),
/// fp32 or fp64 → (). Each target's row is the one of its step. Its last token, the end, is read by none.
torch::Tensor alignment_loss(const torch::Tensor& weights, const LinkTensors& links,
                             train::GuidedStep step = train::GuidedStep::writes);

class GuidedAttention {
 public:
  /// The model is used as long as this lives. Throws InputError, naming the key, where it has no such layer
  /// or head.
  GuidedAttention(models::SequenceToSequence& model, const train::TrainOptions& options);

  /// The model's states of a batch. Keeps the head's loss until take_loss().
  torch::Tensor states(const BatchTensors& batch);

  /// The mean loss of the last so many calls of states(), times train.guided_alignment, to be added to that
  /// of the tokens.
  torch::Tensor take_loss(std::size_t passes);

 private:
  models::SequenceToSequence& model_;
  models::AttentionLayer layer_;
  std::int64_t head_;
  double weight_;
  train::GuidedStep step_;
  std::vector<torch::Tensor> losses_;
};

}  // namespace transformer::tasks
