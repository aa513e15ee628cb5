// How the modules of this folder hold a variant (variants.h) in the place of what the paper has.
#pragma once

#include "transformer/nn/variants.h"

namespace transformer::nn {

/// The module of a chosen variant. Throws InputError, naming the key, for one that is not known.
template <typename Variant>
std::shared_ptr<Variant> make_variant(const variants::Part& part);

/// The result of a variant's forward(), in the type of the first argument here. Throws RunError for a wrong
/// shape.
torch::Tensor apply_variant(AttentionVariant& variant, const torch::Tensor& query, const torch::Tensor& key,
                            const torch::Tensor& value, const torch::Tensor& mask, const torch::Tensor& bias);
torch::Tensor apply_variant(FeedForwardVariant& variant, const torch::Tensor& x);
/// The weights by which an attention variant sums the values: (B, H, T, S), in fp32 or fp64. They are its
/// results for values that are rows of the identity. Throws InputError, naming the key, if its result for
/// `value` is not the sum by these weights: then the variant has no weights.
torch::Tensor weights_of_variant(AttentionVariant& variant, const torch::Tensor& query,
                                 const torch::Tensor& key, const torch::Tensor& value,
                                 const torch::Tensor& mask, const torch::Tensor& bias);
torch::Tensor apply_variant(NormVariant& variant, const torch::Tensor& x);
/// x: (B, T, D), positions: (T), or () for all of x → (B, T, D)
torch::Tensor add_vectors(PositionsVariant& variant, const torch::Tensor& x, const torch::Tensor& positions);

/// Checks on random numbers, in each of its roles, whether such attention has weights to show. Throws
/// InputError as weights_of_variant() does, and for a variant that is not known.
void check_has_weights(const variants::Part& attention);

}  // namespace transformer::nn
