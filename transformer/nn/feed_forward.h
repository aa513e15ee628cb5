// Section 3.3: position-wise feed-forward networks.
#pragma once

#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>

#include "transformer/models/options.h"
#include "transformer/nn/variant_parts.h"

namespace transformer::nn {

struct FeedForwardOptions {
  std::int64_t d_model = 512;
  std::int64_t d_ff = 2048;
  FeedForwardKind kind = FeedForwardKind::positionwise;  ///< one that exists
  Activation activation = Activation::relu;              ///< without a gate
  double dropout = 0.0;                                  ///< before the outer layer; the paper has none
  variants::Part variant = {};                           ///< in the place of all of it
};

/// Those of a model's.
FeedForwardOptions feed_forward_options(const models::ModelOptions& model);

/// FFN(x) = max(0, x W_1 + b_1) W_2 + b_2, equation 2.
///
/// With a gate, g (x W_g + b_g) ⊙ (x W_1 + b_1) replaces the activation.
///
/// x: (…, D) → (…, D)
class FeedForwardImpl : public torch::nn::Module {
 public:
  explicit FeedForwardImpl(const FeedForwardOptions& options);
  torch::Tensor forward(const torch::Tensor& x);
  /// The same operation by operation.
  torch::Tensor reference(const torch::Tensor& x);

  torch::nn::Linear inner{nullptr}, gate{nullptr}, outer{nullptr};  ///< none where there is a variant
  std::shared_ptr<FeedForwardVariant> variant;

 private:
  /// What the outer layer reads. → (…, F)
  torch::Tensor hidden(const torch::Tensor& x);
  /// Dropout and the outer layer.
  torch::Tensor outwards(const torch::Tensor& hidden);

  FeedForwardOptions options_;
};
TORCH_MODULE(FeedForward);

}  // namespace transformer::nn
