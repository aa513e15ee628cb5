#include "transformer/ops/sequences.h"

#include <algorithm>
#include <bit>

#include "transformer/ops/windowed_attention.h"

namespace transformer::ops {
std::int64_t Sequences::longest_bound() const {
  constexpr std::int64_t least = 32;  // positions of the smallest kernel for attention (short_attention.h)
  return static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max(longest.unread(), least))));
}

std::int64_t Sequences::table_length() const {
  return places.is_cpu() ? longest.unread() : longest_bound();
}

torch::Tensor Sequences::padded_rows() const {
  const auto options = places.options();
  const auto lengths = device_offsets.diff();
  const auto gaps =
      torch::arange(size(), options) * std::int64_t{longest} - device_offsets.slice(0, 0, size());
  return torch::repeat_interleave(gaps, lengths, 0, rows()) + torch::arange(rows(), options);
}

torch::Tensor Sequences::padding_mask() const {
  const auto lengths = device_offsets.diff().unsqueeze(1);  // (B, 1)
  return torch::arange(std::int64_t{longest}, places.options()).lt(lengths).unsqueeze(1).unsqueeze(1);
}

torch::Tensor pad(const torch::Tensor& x, const Sequences& sequences) {
  auto shape = x.sizes().vec();
  shape[0] = sequences.size() * sequences.longest;
  const auto padded = torch::zeros(shape, x.options()).index_copy(0, sequences.padded_rows(), x);
  return padded.unflatten(0, {sequences.size(), sequences.longest});
}

torch::Tensor pack(const torch::Tensor& x, const Sequences& sequences) {
  return x.flatten(0, 1).index_select(0, sequences.padded_rows());
}

AttentionMask AttentionMask::packed(const Sequences& queries, const Sequences& keys, bool causal) {
  AttentionMask mask;
  mask.queries = &queries;
  mask.keys = &keys;
  mask.causal = causal;
  return mask;
}

torch::Tensor AttentionMask::tensor() const {
  if (!is_packed()) return padded;
  // Padding stands behind a sequence's tokens, where a causal mask hides it already.
  const auto options = keys->places.options();
  const auto near = [&] {
    const auto place = torch::arange(std::max<std::int64_t>(queries->longest, keys->longest), options);
    return window_mask(place.slice(0, 0, queries->longest), place.slice(0, 0, keys->longest), window)
        .view({1, 1, queries->longest, keys->longest});
  };
  if (!causal) return window == 0 ? keys->padding_mask() : keys->padding_mask().logical_and(near());
  if (window > 0) return near().tril_();
  return torch::ones({1, 1, queries->longest, keys->longest}, options.dtype(torch::kBool)).tril_();
}

}  // namespace transformer::ops
