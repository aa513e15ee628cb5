// How the modules of this folder hold a variant (variants.h) in the place of what the paper has.
#pragma once

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

}  // namespace transformer::nn
