#include "transformer/ops/attention.h"

#include <cmath>
#include <limits>

#include "transformer/ops/dropout.h"

namespace transformer::ops {
namespace {

/// In bf16 on a CPU it is several times slower than two products and a softmax, for sentences of usual
/// length.
bool has_fused_kernel(const torch::Tensor& query, const torch::Tensor& value) {
  return query.is_cuda() ||
         (query.is_cpu() && query.scalar_type() == torch::kFloat && query.size(-1) == value.size(-1));
}

/// The fused kernels want equal head sizes, no dropout and no bias.
bool fused_kernel_is_better(const torch::Tensor& query, const torch::Tensor& value, const torch::Tensor& bias,
                            double dropout) {
  return dropout == 0.0 && !bias.defined() && query.size(-1) == value.size(-1) &&
         has_fused_kernel(query, value);
}

}  // namespace

torch::Tensor split_heads(const torch::Tensor& x, std::int64_t heads) {
  return x.unflatten(-1, {heads, -1}).transpose(1, 2);
}

torch::Tensor join_heads(const torch::Tensor& x) {
  return x.transpose(1, 2).flatten(-2);
}

torch::Tensor repeat_heads(const torch::Tensor& x, std::int64_t times) {
  return times == 1 ? x : x.repeat_interleave(times, 1);
}

torch::Tensor weights_of_scores(torch::Tensor scores, const torch::Tensor& mask, const torch::Tensor& bias) {
  if (bias.defined()) scores = scores + bias.to(scores.scalar_type());
  if (mask.defined())
    scores = scores.masked_fill(mask.logical_not(), -std::numeric_limits<float>::infinity());
  return torch::_safe_softmax(scores, -1);  // zeros, not NaN, where everything is masked
}

torch::Tensor attention_weights(const torch::Tensor& query, const torch::Tensor& key,
                                const torch::Tensor& mask, const torch::Tensor& bias) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(query.size(-1)));
  // A score that is rounded to bf16 has lost what the softmax makes of it.
  const auto wide = torch::promote_types(query.scalar_type(), torch::kFloat);
  return weights_of_scores(torch::matmul(query.to(wide) * scale, key.to(wide).transpose(-2, -1)), mask, bias);
}

torch::Tensor reference_attention(const torch::Tensor& query, const torch::Tensor& key,
                                  const torch::Tensor& value, const torch::Tensor& mask, double p,
                                  const torch::Tensor& bias) {
  const auto weights = ops::dropout(for_values(attention_weights(query, key, mask, bias), value), p, p > 0.0);
  return torch::matmul(weights, value.to(weights)).to(value.scalar_type());
}

torch::Tensor for_values(const torch::Tensor& weights, const torch::Tensor& values) {
  const auto type = values.scalar_type();
  return weights.to(values.is_cpu() ? torch::promote_types(type, torch::kFloat) : type);
}

torch::Tensor scaled_dot_product_attention(const torch::Tensor& query, const torch::Tensor& key,
                                           const torch::Tensor& value, const torch::Tensor& mask, double p,
                                           const torch::Tensor& bias) {
  if (!fused_kernel_is_better(query, value, bias, p))
    return reference_attention(query, key, value, mask, p, bias);
  std::optional<torch::Tensor> attention_mask;
  if (mask.defined()) attention_mask = mask;
  return at::scaled_dot_product_attention(query, key, value, attention_mask);
}

torch::Tensor added_mask_attention(const torch::Tensor& query, const torch::Tensor& key,
                                   const torch::Tensor& value, const torch::Tensor& mask) {
  if (has_fused_kernel(query, value)) return at::scaled_dot_product_attention(query, key, value, mask);
  const double scale = 1.0 / std::sqrt(static_cast<double>(query.size(-1)));
  const auto wide = torch::promote_types(query.scalar_type(), torch::kFloat);  // as in attention_weights
  // Converted and laid out for the product by one copy.
  const auto rows = query.to(wide, /*non_blocking=*/false, /*copy=*/false, at::MemoryFormat::Contiguous);
  const auto products = torch::matmul(rows, key.to(wide).transpose(-2, -1));  // (B, H, T, S)
  const auto weights = for_values(torch::softmax(torch::add(mask, products, scale), -1), value);
  return torch::matmul(weights, value.to(weights)).to(value.scalar_type());
}

}  // namespace transformer::ops
