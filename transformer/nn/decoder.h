// Section 3.1: the decoder, a stack of identical layers that also attend to the encoder's output. A decoder
// without a source (StackOptions::source) has self-attention and feed-forward layers alone; a memory then
// says how many texts there are, (B, 0, D), and nothing else.
#pragma once

#include "transformer/nn/beam_cache.h"
#include "transformer/nn/encoder.h"

namespace transformer::nn {

/// Masked self-attention, cross-attention, feed-forward, each inside a residual connection.
class DecoderLayerImpl : public torch::nn::Module {
 public:
  explicit DecoderLayerImpl(const StackOptions& options);

  /// A whole target at once. x: (B, T, D), memory: (B, S, D), self_mask: (1, 1, T, T),
  /// source_mask: (B, 1, 1, S), positions: of x → (B, T, D)
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& memory,
                        const ops::AttentionMask& self_mask, const ops::AttentionMask& source_mask,
                        const AttentionPositions& positions = {});

  /// One further position of each hypothesis, given what the cache remembers. x: (B, W, D), W hypotheses of
  /// each sentence, positions: of the one that is added → (B, W, D)
  torch::Tensor step(const torch::Tensor& x, LayerCache& cache, const torch::Tensor& source_mask,
                     const AttentionPositions& positions = {});

  /// The first positions of one hypothesis a sentence. The cache, empty so far, keeps their keys and values.
  /// Arguments as of forward().
  torch::Tensor read(const torch::Tensor& x, LayerCache& cache, const torch::Tensor& self_mask,
                     const torch::Tensor& source_mask, const AttentionPositions& positions);

  /// An empty cache without room. memory: (B, S, D)
  BeamLayerCache start_beam(const torch::Tensor& memory);

  /// As step() with a LayerCache, for attention without a variant. x: (B, W, D) → (B, W, D)
  torch::Tensor step(const torch::Tensor& x, BeamLayerCache& cache, const BeamStep& at);

  MultiHeadAttention self_attention{nullptr};
  ResidualNorm self_attention_residual{nullptr};  ///< of parallel sublayers the only one
  MultiHeadAttention cross_attention{nullptr};    ///< with a source
  ResidualNorm cross_attention_residual{nullptr};
  FeedForward feed_forward{nullptr};  ///< where there is one
  ResidualNorm feed_forward_residual{nullptr};

 private:
  template <typename Stream>
  void run(Stream& stream) {
    if (order_.parallel)
      run_parallel_decoder_layer(order_, stream, *this);
    else
      run_decoder_layer(order_, stream, *this);
  }

  LayerOrder order_;
};
TORCH_MODULE(DecoderLayer);

/// With pre-norm layers the stack ends in a normalisation of its own.
class DecoderImpl : public torch::nn::Module {
 public:
  explicit DecoderImpl(const StackOptions& options);

  /// Shapes as in DecoderLayer::forward.
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& memory,
                        const ops::AttentionMask& self_mask, const ops::AttentionMask& source_mask);

  /// An empty cache that holds the projected memory: (B, S, D), source_mask: (B, 1, 1, S).
  DecoderCache start(const torch::Tensor& memory, const torch::Tensor& source_mask);

  /// Several positions at once, before the first step. x: (B, T, D), one hypothesis a sentence → (B, T, D)
  torch::Tensor read(const torch::Tensor& x, DecoderCache& cache);

  /// x: (B, W, D), W hypotheses of each sentence → (B, W, D); the cache grows by one position.
  torch::Tensor step(const torch::Tensor& x, DecoderCache& cache);

  /// The same for a beam of `width` hypotheses a sentence, with a source, for attention without a variant;
  /// before the first step all of a sentence's hypotheses are alike.
  BeamCache start_beam(const torch::Tensor& memory, const torch::Tensor& source_mask, std::int64_t width);

  /// Makes room for that many positions, or more. → whether there was less
  bool reserve(BeamCache& cache, std::int64_t positions);

  /// As above, and hypotheses that change places are told by BeamCache::follow. Nothing is copied from the
  /// host, and nothing waits for the device. Where there is room, only what the memory holds changes.
  torch::Tensor step(const torch::Tensor& x, BeamCache& cache);

  RelativePositions positions{nullptr};
  torch::nn::ModuleList layers{nullptr};
  PositionalEncoding layer_positions{nullptr};  ///< where positions enter with each layer
  Norm norm{nullptr};                           ///< where norms come first

 private:
  NormPlacement norm_placement_;
};
TORCH_MODULE(Decoder);

}  // namespace transformer::nn
