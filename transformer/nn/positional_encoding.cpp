#include "transformer/nn/positional_encoding.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "transformer/base/error.h"
#include "transformer/nn/frequencies.h"
#include "transformer/ops/angles.h"
#include "transformer/ops/tracing.h"

namespace transformer::nn {
namespace {

/// The numbers of x's positions, (T), from `first` on.
torch::Tensor places_of(const torch::Tensor& x, std::int64_t first) {
  if (!ops::tracing()) return torch::arange(first, first + x.size(1), x.options().dtype(torch::kLong));
  return ops::places_of(x.select(0, 0).select(-1, 0)) + first;
}

}  // namespace

torch::Tensor sinusoids(Positions positions, std::int64_t length, std::int64_t d_model) {
  return sinusoids_at(positions, torch::arange(length), d_model);
}

torch::Tensor sinusoids_at(Positions positions, const torch::Tensor& places, std::int64_t d_model) {
  TORCH_CHECK(d_model % 2 == 0, "sinusoids need an even d_model, found ", d_model);
  const auto layout = about(positions).sinusoids.value();
  const auto angles = ops::angles_at(places, d_model / 2, sinusoid_denominator(layout, d_model));  // (T, D/2)
  const auto sine = angles.sin(), cosine = angles.cos();
  const auto vectors =
      layout.interleaved ? torch::stack({sine, cosine}, -1).flatten(-2) : torch::cat({sine, cosine}, -1);
  return vectors.to(torch::kFloat);
}

PositionalEncodingImpl::PositionalEncodingImpl(Positions positions, std::int64_t d_model,
                                               std::int64_t max_positions, const variants::Part& chosen)
    : positions_(positions), d_model_(d_model) {
  if (chosen.choice)
    variant = register_module("variant", make_variant<PositionsVariant>(chosen));
  else if (are_learned_vectors(positions_))
    weight = register_parameter("weight", torch::empty({max_positions, d_model}));
}

torch::Tensor PositionalEncodingImpl::rows(std::int64_t end, const torch::Device& device) {
  if (are_learned_vectors(positions_)) {
    if (end > weight.size(0)) throw InputError(too_few_positions(weight.size(0), end));
    return weight;
  }
  const auto known = table_.defined() ? table_.size(0) : 0;
  if (known < end || table_.device() != device) {
    if (table_.defined() && !table_.is_cpu()) outgrown_.push_back(table_);
    // A power of two, at least Sequences::longest_bound(): what fits into the same graph fits into the table.
    const auto size = std::max<std::int64_t>(
        256, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(end))));
    table_ = sinusoids(positions_, size, d_model_).to(device);
  }
  return table_;
}

torch::Tensor PositionalEncodingImpl::vectors_at(const torch::Tensor& positions) const {
  return are_learned_vectors(positions_) ? torch::embedding(weight, positions)
                                         : sinusoids_at(positions_, positions, d_model_);
}

torch::Tensor PositionalEncodingImpl::vectors_packed(const torch::Tensor& x,
                                                     const ops::Sequences& sequences) {
  const auto end = are_learned_vectors(positions_) ? sequences.longest.unread() : sequences.table_length();
  return torch::embedding(rows(end, x.device()), sequences.places).to(x.scalar_type());
}

torch::Tensor PositionalEncodingImpl::vectors(const torch::Tensor& x, std::int64_t first) {
  if (ops::tracing()) return vectors_at(places_of(x, first)).to(x.scalar_type());
  const auto end = first + x.size(1);
  return rows(end, x.device()).slice(0, first, end).to(x.scalar_type());
}

torch::Tensor PositionalEncodingImpl::table(std::int64_t count, const torch::TensorOptions& options) {
  if (variant || !are_vectors(positions_)) return {};
  if (are_learned_vectors(positions_)) count = std::min(count, weight.size(0));
  return rows(count, options.device()).slice(0, 0, count).to(options.dtype());
}

torch::Tensor PositionalEncodingImpl::at(const torch::Tensor& x, const torch::Tensor& positions) {
  if (variant) return add_vectors(*variant, x, positions);
  return are_vectors(positions_) ? x + vectors_at(positions).to(x.scalar_type()) : x;
}

torch::Tensor PositionalEncodingImpl::packed(const torch::Tensor& x, const ops::Sequences& sequences) {
  if (variant) return add_vectors(*variant, x.unsqueeze(0), sequences.places).squeeze(0);
  return are_vectors(positions_) ? x + vectors_packed(x, sequences) : x;
}

torch::Tensor PositionalEncodingImpl::forward(const torch::Tensor& x, std::int64_t first) {
  if (variant) return add_vectors(*variant, x, places_of(x, first));
  return are_vectors(positions_) ? x + vectors(x, first) : x;
}

}  // namespace transformer::nn
