#include "transformer/ops/windowed_attention.h"

#include "transformer/ops/attention.h"

namespace transformer::ops {
namespace {

/// 0, 1, …, as many as x has rows, without asking for their number, which would become a constant of a trace.
torch::Tensor places(const torch::Tensor& x) {
  const auto first = x.dim() > 1 ? x.flatten(1).select(1, 0) : x;
  return torch::ones_like(first, torch::kLong).cumsum(0) - 1;
}

/// (B, H, T, K), T a multiple of `block` → (B, H, T / block, so many blocks of rows each, K): a block with
/// those around it, zeros where there is none.
torch::Tensor with_neighbours(const torch::Tensor& x, std::int64_t block, std::int64_t blocks) {
  const auto around = torch::constant_pad_nd(x, {0, 0, block, blocks == 3 ? block : 0});
  return around.unfold(2, blocks * block, block).transpose(-2, -1);
}

}  // namespace

torch::Tensor window_mask(const torch::Tensor& rows, const torch::Tensor& columns, std::int64_t window) {
  const auto keys = places(columns), queries = places(rows);
  const auto distances =
      keys.unsqueeze(0) - (queries + (keys.slice(0, -1) - queries.slice(0, -1))).unsqueeze(1);
  return distances.abs() <= window;
}

torch::Tensor windowed_attention(const torch::Tensor& query, const torch::Tensor& key,
                                 const torch::Tensor& value, const torch::Tensor& mask, std::int64_t window,
                                 bool causal) {
  const std::int64_t length = query.size(2), blocks = causal ? 2 : 3;
  const auto missing = (window - length % window) % window;
  const auto filled = [&](const torch::Tensor& x) {
    return missing == 0 ? x : torch::constant_pad_nd(x, {0, 0, 0, missing});
  };
  const auto queries = filled(query).unflatten(2, {-1, window});  // (B, H, N, r, K)
  const auto keys = with_neighbours(filled(key), window, blocks),
             values = with_neighbours(filled(value), window, blocks);

  // Key s of a block's 2r or 3r stands s - r - t behind its query t.
  const auto options = query.options().dtype(torch::kLong);
  const auto distances =
      torch::arange(blocks * window, options) - window - torch::arange(window, options).unsqueeze(1);
  auto near = distances.abs() <= window;
  if (causal) near = near.logical_and(distances <= 0);
  const auto real = mask.defined()
                        ? mask.expand({query.size(0), 1, 1, length}).transpose(2, 3)  // (B, 1, T, 1)
                        : torch::ones({1, 1, length, 1}, options.dtype(torch::kBool));
  const auto permitted = near.logical_and(with_neighbours(filled(real), window, blocks).transpose(-2, -1));
  const auto rows = reference_attention(queries, keys, values, permitted);  // (B, H, N, r, V)
  return rows.flatten(2, 3).slice(2, 0, length);
}

}  // namespace transformer::ops
