// The common parts of models that have the paper's stacks: making a stack from the options, its input, and
// the state of a decoder between steps.
#pragma once

#include "transformer/models/model.h"
#include "transformer/nn/decoder.h"
#include "transformer/nn/embedding.h"
#include "transformer/nn/positional_encoding.h"
#include "transformer/nn/residual_norm.h"

namespace transformer::models {

nn::StackOptions stack_options(const ModelOptions& options, std::int64_t layers);

nn::PositionalEncoding positional_encoding(const ModelOptions& options);

/// Of the sum of embeddings and positions, or none (model.embedding_norm).
nn::Norm embedding_norm(const ModelOptions& options);

/// The sum of the residual connections, in its type. Post-norm normalises each sum at once, so it keeps the
/// precision of the products. With pre-norm sums grow from layer to layer and are fp32.
torch::Tensor in_stream_type(const ModelOptions& options, const torch::Tensor& x);

/// What a stack reads, of embeddings and positions.
struct StackInput {
  const ModelOptions& options;
  nn::Embedding& embedding;
  nn::PositionalEncoding& positions;
  nn::Norm& norm;  ///< may be null
  bool training = false;

  /// The sum of embedding and position, normalised if there is a norm, with dropout (5.4). ids: (B, T) → (B,
  /// T, D), or packed → (N, D)
  torch::Tensor of(const torch::Tensor& ids) const;
  torch::Tensor of(const Packed& ids) const;

  /// The same for each hypothesis' token at the cache's next position. ids: (B, W) → (B, W, D)
  torch::Tensor next(const torch::Tensor& ids, const nn::DecoderCache& cache) const;

  /// What positions gave, as the stack's first layer reads it but for dropout. (…, D) → the same shape
  torch::Tensor stream(const torch::Tensor& placed) const;
};

/// A decoder's cache as a model's state.
class CachedState : public DecoderState {
 public:
  explicit CachedState(nn::DecoderCache cache) : cache_(std::move(cache)) {}

  std::int64_t sentences() const override { return cache_.sentences(); }
  std::int64_t length() const override { return cache_.length; }
  void select_hypotheses(const torch::Tensor& hypotheses) override { cache_.select_hypotheses(hypotheses); }
  void select_sentences(const torch::Tensor& sentences) override { cache_.select_sentences(sentences); }

  nn::DecoderCache& cache() { return cache_; }

 private:
  nn::DecoderCache cache_;
};

}  // namespace transformer::models
