#include "transformer/nn/positional_encoding.h"

#include <fmt/format.h>

#include <algorithm>

#include "transformer/base/error.h"
#include "transformer/nn/angles.h"
#include "transformer/nn/recording.h"

namespace transformer::nn {

namespace {

/// Frequency i of `half` is 10000^(-i / denominator).
double denominator(Positions layout, std::int64_t half) {
  switch (layout) {
    case Positions::interleaved:
    case Positions::halves:
      return static_cast<double>(half);
    case Positions::tensor2tensor:
      return static_cast<double>(std::max(half - 1, std::int64_t{1}));
    case Positions::learned:
    case Positions::rotary:
    case Positions::bias:
      break;
  }
  throw std::logic_error("positions that are no sinusoids");
}

/// (T, D/2) each → (T, D)
torch::Tensor arrange(Positions layout, const torch::Tensor& sine, const torch::Tensor& cosine) {
  switch (layout) {
    case Positions::interleaved:
      return torch::stack({sine, cosine}, -1).flatten(-2);
    case Positions::halves:
    case Positions::tensor2tensor:
      return torch::cat({sine, cosine}, -1);
    case Positions::learned:
    case Positions::rotary:
    case Positions::bias:
      break;
  }
  throw std::logic_error("positions that are no sinusoids");
}

}  // namespace

torch::Tensor sinusoids(Positions layout, std::int64_t length, std::int64_t d_model) {
  return sinusoids_at(layout, torch::arange(length), d_model);
}

torch::Tensor sinusoids_at(Positions layout, const torch::Tensor& positions, std::int64_t d_model) {
  TORCH_CHECK(d_model % 2 == 0, "sinusoids need an even d_model, found ", d_model);
  const auto half = d_model / 2;
  const auto angles = angles_at(positions, half, denominator(layout, half));  // (T, D/2)
  return arrange(layout, angles.sin(), angles.cos()).to(torch::kFloat);
}

PositionalEncodingImpl::PositionalEncodingImpl(Positions layout, std::int64_t d_model,
                                               std::int64_t max_positions, const variants::Part& chosen)
    : layout_(layout), d_model_(d_model) {
  if (chosen.choice)
    variant = register_module("variant", make_variant<PositionsVariant>(chosen));
  else if (are_learned_vectors(layout_))
    weight = register_parameter("weight", torch::empty({max_positions, d_model}));
}

torch::Tensor PositionalEncodingImpl::rows(std::int64_t end, const torch::Tensor& like) {
  if (are_learned_vectors(layout_)) {
    if (end > weight.size(0))
      throw InputError(
          fmt::format("model.max_positions: {} learned positions cannot hold a sequence of {} tokens",
                      weight.size(0), end));
    return weight;
  }
  const auto known = table_.defined() ? table_.size(0) : 0;
  if (known < end || table_.device() != like.device())
    table_ = sinusoids(layout_, std::max({end, 2 * known, std::int64_t{256}}), d_model_).to(like.device());
  return table_;
}

torch::Tensor PositionalEncodingImpl::at(const torch::Tensor& x, const torch::Tensor& positions) {
  if (variant) return add_vectors(*variant, x, positions);
  if (!are_vectors(layout_)) return x;
  const auto vectors = are_learned_vectors(layout_) ? torch::embedding(weight, positions)
                                                    : sinusoids_at(layout_, positions, d_model_);
  return x + vectors.to(x.scalar_type());
}

torch::Tensor PositionalEncodingImpl::forward(const torch::Tensor& x, std::int64_t first) {
  if (!variant && !are_vectors(layout_)) return x;
  if (recording()) {
    const auto ones = torch::ones_like(x.select(0, 0).select(-1, 0), torch::kLong);  // (T)
    return at(x, ones.cumsum(0) + (first - 1));
  }
  const auto end = first + x.size(1);
  if (variant) return at(x, torch::arange(first, end, x.options().dtype(torch::kLong)));
  return x + rows(end, x).slice(0, first, end).to(x.scalar_type());
}

}  // namespace transformer::nn
