// Section 3.2, Figures 3 to 5: records the weights that multi-head attention applies, so that they can be
// shown.
//
//     nn::AttentionRecord record;
//     model->forward(source, target);
//     record.of(variants::Role::source)[2];  // of the third layer: (B, H, T, S)
#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <array>
#include <vector>

#include "transformer/variants/options.h"

namespace transformer::nn {

/// While it lives, attention of the thread that made it computes by its definition (3.2.1), unfused and with
/// every option of the model, and leaves its weights here, from which gradients flow back. All ways of
/// attending do, but the beam steps of nn/decoder.h. Records may be nested: the innermost counts. Without one
/// attention takes its usual ways.
class AttentionRecord {
 public:
  AttentionRecord() : AttentionRecord(nullptr) {}
  /// The same of one module of attention alone; all others take their usual ways.
  explicit AttentionRecord(const torch::nn::Module& only) : AttentionRecord(&only) {}
  ~AttentionRecord();
  AttentionRecord(const AttentionRecord&) = delete;
  AttentionRecord& operator=(const AttentionRecord&) = delete;

  /// The thread's record, or null.
  static AttentionRecord* active();
  /// The same where it wants the weights of this module.
  static AttentionRecord* of(const torch::nn::Module& attention);

  /// weights: (B, H, T, S), fp32 or fp64, as the softmax gives them, before dropout.
  void add(variants::Role role, const torch::Tensor& weights);

  /// Those of the encoder's self-attention, the decoder's masked one, or attention over the source, in the
  /// order in which they were computed: a layer each, where a whole model ran once.
  const std::vector<torch::Tensor>& of(variants::Role role) const;

 private:
  explicit AttentionRecord(const torch::nn::Module* only);

  AttentionRecord* outer_;
  const torch::nn::Module* only_;                      // null: all
  std::array<std::vector<torch::Tensor>, 3> weights_;  // by role
};

}  // namespace transformer::nn
