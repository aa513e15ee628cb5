#include "transformer/ops/windowed_attention.h"

#include <algorithm>

#include "transformer/ops/attention.h"

namespace transformer::ops {
namespace {

/// Queries of a block; small blocks would be many small products.
std::int64_t block_of(std::int64_t window) {
  return std::max<std::int64_t>(window, 32);
}

/// (B, H, T, K), T a multiple of `block` → (B, H, T / block, before + block + after, K): each block with the
/// rows around it, zeros where there are none.
torch::Tensor with_neighbours(const torch::Tensor& x, std::int64_t block, std::int64_t before,
                              std::int64_t after) {
  const auto around = torch::constant_pad_nd(x, {0, 0, before, after});
  return around.unfold(2, before + block + after, block).transpose(-2, -1);
}

}  // namespace

torch::Tensor window_mask(const torch::Tensor& queries, const torch::Tensor& keys, std::int64_t window) {
  return (keys.unsqueeze(0) - queries.unsqueeze(1)).abs() <= window;
}

torch::Tensor windowed_attention(const torch::Tensor& query, const torch::Tensor& key,
                                 const torch::Tensor& value, const torch::Tensor& mask, std::int64_t window,
                                 bool causal) {
  const auto length = query.size(2), block = block_of(window), after = causal ? 0 : window;
  const auto missing = (block - length % block) % block;
  const auto filled = [&](const torch::Tensor& x) {
    return missing == 0 ? x : torch::constant_pad_nd(x, {0, 0, 0, missing});
  };
  const auto in_reach = [&](const torch::Tensor& x) {
    return with_neighbours(filled(x), block, window, after);
  };
  const auto as_sentences = [](const torch::Tensor& x) {
    return x.transpose(1, 2).flatten(0, 1);
  };                                                             // (B · N, H, …)
  const auto queries = filled(query).unflatten(2, {-1, block});  // (B, H, N, block, K)

  // Key s of those in a block's reach stands s - window - t behind its query t.
  const auto options = query.options().dtype(torch::kLong);
  const auto distances =
      torch::arange(window + block + after, options) - window - torch::arange(block, options).unsqueeze(1);
  auto near = distances.abs() <= window;
  if (causal) near = near.logical_and(distances <= 0);
  const auto real = mask.defined()
                        ? mask.expand({query.size(0), 1, 1, length}).transpose(2, 3)  // (B, 1, T, 1)
                        : torch::ones({1, 1, length, 1}, options.dtype(torch::kBool));
  // Padding may see itself, so that no query is without a key.
  const auto permitted = near.logical_and(in_reach(real).transpose(-2, -1))
                             .logical_or(distances == 0)
                             .expand({query.size(0), 1, -1, -1, -1});
  const auto rows = scaled_dot_product_attention(as_sentences(queries), as_sentences(in_reach(key)),
                                                 as_sentences(in_reach(value)), as_sentences(permitted));
  const auto in_blocks = rows.unflatten(0, {query.size(0), -1}).transpose(1, 2);  // (B, H, N, block, V)
  return in_blocks.flatten(2, 3).slice(2, 0, length);
}

bool blocks_are_fewer(std::int64_t length, std::int64_t window, bool causal) {
  return length > block_of(window) + (causal ? 1 : 2) * window;
}

}  // namespace transformer::ops
