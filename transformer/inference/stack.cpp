#include "transformer/inference/stack.h"

#include <fmt/format.h>

#include <algorithm>

#include "transformer/base/error.h"

namespace transformer::inference {
namespace {

kernels::Activation activation_of(nn::Activation activation) {
  switch (activation) {
    case nn::Activation::relu:
      return kernels::Activation::relu;
    case nn::Activation::gelu:
      return kernels::Activation::gelu;
    case nn::Activation::swish:
      return kernels::Activation::swish;
  }
  nn::no_such_choice();
}

}  // namespace

const float* PositionTable::reach(std::int64_t length) {
  if (length <= known_.rows) return known_.values.data();
  if (models::longest_sequence(model_.options()))
    throw InputError(
        fmt::format("model.max_positions: {} learned positions cannot hold a sequence of {} tokens",
                    known_.rows, length));
  if (length > further_.rows) further_ = packed_positions(model_.options(), model_.shape(), 2 * length);
  return further_.values.data();
}

Stack::Stack(const PackedModel& model)
    : model_(model),
      shape_(model.shape()),
      linear_(kernels::linear(model.isa())),
      add_norm_(kernels::add_norm(model.isa())),
      attention_(kernels::row_attention(model.isa())),
      rotation_(kernels::rotation(model.isa())),
      positions_enter_(nn::where_enter(model.options().positions)),
      norm_first_(nn::norm_comes_first(model.options().norm)),
      round_(model.precision(), linear_) {}

float* Stack::begin(std::int64_t rows) {
  rows_ = rows;
  pending_ = false;
  x_.resize(rows * shape_.width);
  normal_.resize(rows * shape_.width);
  z_.resize(rows * shape_.width);
  attended_.resize(rows * shape_.value_width);
  inner_.resize(rows * shape_.inner_width);
  return x_.data();
}

void Stack::embed(std::int64_t row, const VectorTable& table, std::int32_t id, const float* position) {
  const float* vector = table.values.data() + id * shape_.width;
  float* x = x_.data() + row * shape_.width;
  switch (positions_enter_) {
    case nn::PositionsEnter::embeddings:
      for (std::int64_t i = 0; i < shape_.width; ++i) x[i] = vector[i] + position[i];
      return;
    case nn::PositionsEnter::queries_and_keys:
    case nn::PositionsEnter::scores:
      std::copy_n(vector, shape_.width, x);
      return;
  }
}

void Stack::turn(std::int64_t rows, float* vectors, std::int64_t stride, const float* positions,
                 std::int64_t position_stride) {
  switch (positions_enter_) {
    case nn::PositionsEnter::embeddings:
    case nn::PositionsEnter::scores:
      return;
    case nn::PositionsEnter::queries_and_keys: {
      const auto size = model_.options().d_k;
      rotation_.rotate({.rows = rows,
                        .heads = shape_.heads,
                        .size = size,
                        .head_stride = shape_.key_size,
                        .data = vectors,
                        .stride = stride,
                        .cosine = positions,
                        .sine = positions + size,
                        .table_stride = position_stride});
      return;
    }
  }
}

void Stack::normalise(const PackedNorm& norm, const float* z, float* sum, float* y) {
  add_norm_.add_norm({rows_, shape_.d_model, shape_.width, static_cast<float>(model_.options().norm_epsilon),
                      norm.weight.data(), norm.bias.data(), x_.data(), z, sum, y});
}

RoundedRows Stack::enter(const PackedNorm& norm) {
  if (!norm_first_) return round_(x_.data(), rows_, shape_.width);
  normalise(norm, pending_ ? z_.data() : nullptr, pending_ ? x_.data() : nullptr, normal_.data());
  pending_ = false;
  return round_(normal_.data(), rows_, shape_.width);
}

void Stack::leave(const PackedNorm& norm) {
  if (!norm_first_)
    normalise(norm, z_.data(), nullptr, x_.data());
  else
    pending_ = true;  // the next norm adds it in passing
}

RoundedRows Stack::finish(const PackedNorm& last) {
  if (norm_first_) normalise(last, pending_ ? z_.data() : nullptr, nullptr, x_.data());
  pending_ = false;
  return round_(x_.data(), rows_, shape_.width);
}

float* Stack::projected(std::int64_t width) {
  projected_.resize(rows_ * width);
  return projected_.data();
}

float* Stack::attended() {
  return attended_.data();
}

void Stack::attend(std::int64_t row, const float* query, const Memory& memory,
                   std::span<const std::int32_t> rows) {
  const auto count = static_cast<std::int64_t>(rows.size());
  scores_.resize(shape_.heads * (count + 16));
  float* y = attended_.data() + row * shape_.value_width;
  attention_.attend({shape_.heads, shape_.key_size, shape_.value_size, query, memory.rows,
                     memory.rows + shape_.query_width, memory.stride, rows.data(), count, scores_.data(), y});
  std::fill(y + shape_.heads * shape_.value_size, y + shape_.value_width, 0.0F);
}

void Stack::leave_attention(const PackedLinear& output, const PackedNorm& norm) {
  output.apply(linear_, round_(attended_.data(), rows_, shape_.value_width), output.all(), z_.data(),
               shape_.width);
  leave(norm);
}

void Stack::feed_forward(const PackedFeedForward& layer) {
  layer.inner.apply(linear_, enter(layer.norm), layer.inner.all(), inner_.data(), shape_.inner_width,
                    activation_of(model_.options().activation));
  layer.outer.apply(linear_, round_(inner_.data(), rows_, shape_.inner_width), layer.outer.all(), z_.data(),
                    shape_.width);
  leave(layer.norm);
}

}  // namespace transformer::inference
