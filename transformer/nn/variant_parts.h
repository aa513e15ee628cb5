// How the modules of this folder hold a variant (variants.h) in the place of what the paper has.
#pragma once

#include <torch/nn/modules/normalization.h>

#include "transformer/nn/variants.h"

namespace transformer::nn {

/// The module of a chosen variant. Throws InputError, naming the key, for one that is not known.
template <typename Variant>
std::shared_ptr<Variant> make_variant(const variants::Part& part);

/// What forward() of a variant gives, in the type of its first argument here. Throws RunError for a wrong
/// shape.
torch::Tensor apply_variant(AttentionVariant& variant, const torch::Tensor& query, const torch::Tensor& key,
                            const torch::Tensor& value, const torch::Tensor& mask, const torch::Tensor& bias);
torch::Tensor apply_variant(FeedForwardVariant& variant, const torch::Tensor& x);
torch::Tensor apply_variant(NormVariant& variant, const torch::Tensor& x);
/// x: (B, T, D), positions: (T), or () for all of x → (B, T, D)
torch::Tensor add_vectors(PositionsVariant& variant, const torch::Tensor& x, const torch::Tensor& positions);

/// A layer norm without weights of its own, which only stands for a variant.
class VariantNormImpl : public torch::nn::LayerNormImpl {
 public:
  VariantNormImpl(std::int64_t d_model, double epsilon, const variants::Part& part);

  std::shared_ptr<NormVariant> variant;
};

/// LayerNorm, or the variant in its place.
torch::nn::LayerNorm make_norm(std::int64_t d_model, double epsilon, const variants::Part& part);

/// Which of the two it is, decides this, not norm->forward().
torch::Tensor normalize(torch::nn::LayerNorm& norm, const torch::Tensor& x);

bool is_variant(const torch::nn::LayerNorm& norm);

}  // namespace transformer::nn
