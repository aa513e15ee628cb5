// Section 3.1: the encoder, a stack of identical layers.
#pragma once

#include <torch/nn/modules/container/modulelist.h>

#include "transformer/nn/feed_forward.h"
#include "transformer/nn/multi_head_attention.h"
#include "transformer/nn/positional_encoding.h"
#include "transformer/nn/residual_norm.h"

namespace transformer::nn {

/// What both stacks are made of.
struct StackOptions {
  std::int64_t layers = 6;
  Positions positions = Positions::interleaved;  ///< those that do not enter with the embeddings
  double rotary_base = 10000;                    ///< of rotary positions
  MultiHeadAttentionOptions attention;
  FeedForwardOptions feed_forward;
  ResidualNormOptions residual;
  bool parallel = false;  ///< a layer's sublayers stand beside each other
  bool source = true;     ///< a decoder's layers attend to a source
};

inline LayerOrder order_of(const StackOptions& options) {
  return {.norm = options.residual.norm,
          .parallel = options.parallel,
          .source = options.source,
          .feed_forward = exists(options.feed_forward.kind)};
}

/// Self-attention, then feed-forward, each inside a residual connection.
class EncoderLayerImpl : public torch::nn::Module {
 public:
  explicit EncoderLayerImpl(const StackOptions& options);
  /// x: (B, S, D), mask: (B, 1, 1, S); or packed, (N, D) → as x
  torch::Tensor forward(const torch::Tensor& x, const ops::AttentionMask& mask,
                        const AttentionPositions& positions = {});

  MultiHeadAttention self_attention{nullptr};
  ResidualNorm self_attention_residual{nullptr};  ///< of parallel sublayers the only one
  FeedForward feed_forward{nullptr};              ///< where there is one
  ResidualNorm feed_forward_residual{nullptr};

 private:
  LayerOrder order_;
};
TORCH_MODULE(EncoderLayer);

/// The vectors that are added to what each layer of a stack reads: the paper's.
PositionalEncoding layer_sinusoids(const StackOptions& options);

/// The positions that self-attention is told of; an encoder sees both sides of each.
RelativePositions relative_positions(const StackOptions& options, bool both_sides);

/// With pre-norm layers the stack ends in a normalisation of its own.
class EncoderImpl : public torch::nn::Module {
 public:
  explicit EncoderImpl(const StackOptions& options);
  /// x: (B, S, D) embedded source, mask: (B, 1, 1, S); or packed, (N, D) → as x
  torch::Tensor forward(const torch::Tensor& x, const ops::AttentionMask& mask);

  RelativePositions positions{nullptr};
  torch::nn::ModuleList layers{nullptr};
  PositionalEncoding layer_positions{nullptr};  ///< where positions enter with each layer
  Norm norm{nullptr};                           ///< where norms come first

 private:
  NormPlacement norm_placement_;
};
TORCH_MODULE(Encoder);

}  // namespace transformer::nn
