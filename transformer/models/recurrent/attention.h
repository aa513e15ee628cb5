// Attention of a recurrent decoder over its source.
#pragma once

#include <torch/nn/modules/linear.h>

#include "transformer/models/recurrent/options.h"

namespace transformer::models::recurrent {

/// The encoder's output for the decoder's attention.
struct Memory {
  torch::Tensor mask;         ///< (B, 1, S), true at real tokens
  torch::Tensor states = {};  ///< (B, S, D); undefined without attention
  torch::Tensor keys = {};    ///< (B, S, D)
};

struct Attended {
  torch::Tensor context;  ///< (B, T, D)
  torch::Tensor weights;  ///< (B, T, S), fp32 or fp64
};

/// The weights of the states h are the softmax of their scores, and the context is the sum of the states by
/// these weights. The scores are
/// * additive: v · tanh(W q + U h), Bahdanau et al. 2015, appendix A.1.2.
/// * product: q · U h, Luong et al. 2015, equation 8, "general".
///
/// There are no biases, as in these papers.
class SourceAttentionImpl : public torch::nn::Module {
 public:
  SourceAttentionImpl(Attention score, std::int64_t d_model);

  /// states: (B, S, D) → (B, S, D)
  torch::Tensor keys(const torch::Tensor& states);

  /// queries: (B, T, D)
  Attended forward(const torch::Tensor& queries, const Memory& memory);

 private:
  torch::nn::Linear query_{nullptr}, key_{nullptr};  // query_: of additive attention
  torch::Tensor score_weight_;                       // (1, D), of additive attention
};
TORCH_MODULE(SourceAttention);

}  // namespace transformer::models::recurrent
