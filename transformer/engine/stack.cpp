#include "transformer/engine/stack.h"

#include <algorithm>

namespace transformer::engine {

Stack::Stack(const PackedModel& model, int threads)
    : model_(model),
      shape_(model.shape()),
      linear_(kernels::linear(model.isa())),
      residual_norm_(kernels::residual_norm(model.isa())),
      attention_(kernels::row_attention(model.isa())),
      rotation_(kernels::rotation(model.isa())),
      gating_(kernels::gate(model.isa())),
      gate_(nn::gate_of(model.options().feed_forward)),
      positions_enter_(nn::where_enter(model.options().positions)),
      source_bias_(model.options(), model.source_buckets, /*both_sides=*/true),
      target_bias_(model.options(), model.target_buckets, /*both_sides=*/false),
      round_(model.precision(), linear_),
      scores_(static_cast<std::size_t>(threads)),
      team_(threads) {}

void Stack::begin(std::int64_t rows, bool source) {
  rows_ = rows;
  source_ = source;
  pending_ = false;
  x_.resize(rows * shape_.width);
  normal_.resize(rows * shape_.width);
  z_.resize(rows * shape_.width);
  attended_.resize(rows * shape_.attended_width);
  inner_.resize(rows * shape_.inner_width);
  if (gate_ != nn::Gate::none) gates_.resize(rows * shape_.inner_width);
}

void Stack::embed(std::int64_t row, const VectorTable& table, std::int32_t id, const float* position) {
  const float* vector = table.values.data() + id * shape_.width;
  float* x = x_.data() + row * shape_.width;
  if (positions_enter_ != nn::PositionsEnter::embeddings) {
    std::copy_n(vector, shape_.width, x);
    return;
  }
  for (std::int64_t i = 0; i < shape_.width; ++i) x[i] = vector[i] + position[i];
}

void Stack::norm_embeddings() {
  const auto& norm = source_ ? model_.source_embedding_norm : model_.target_embedding_norm;
  if (norm.weight.data() != nullptr) normalise(norm, nullptr, nullptr, x_.data());
}

void Stack::normalise_heads(const kernels::Buffer<float>& weight, const HeadRows& vectors) {
  if (weight.data() == nullptr) return;
  for (std::int64_t row = 0; row < vectors.rows; ++row) {
    float* heads = vectors.data + row * vectors.stride;
    residual_norm_.forward({.end = vectors.heads,
                            .width = model_.options().d_k,
                            .stride = shape_.key_size,
                            .epsilon = static_cast<float>(model_.options().norm_epsilon),
                            .centred = false,
                            .weight = weight.data(),
                            .x = heads,
                            .y = heads});
  }
}

void Stack::turn(const HeadRows& vectors, const float* positions, std::int64_t position_stride) {
  if (positions_enter_ != nn::PositionsEnter::queries_and_keys) return;
  const auto size = model_.options().d_k;
  rotation_.rotate({.rows = vectors.rows,
                    .heads = vectors.heads,
                    .size = size,
                    .head_stride = shape_.key_size,
                    .data = vectors.data,
                    .stride = vectors.stride,
                    .cosine = positions,
                    .sine = positions + size,
                    .table_stride = position_stride});
}

void Stack::normalise(const PackedNorm& norm, const float* z, float* sum, float* y) {
  residual_norm_.forward({.end = rows_,
                          .width = shape_.d_model,
                          .stride = shape_.width,
                          .epsilon = static_cast<float>(model_.options().norm_epsilon),
                          .centred = norm.bias.data() != nullptr,
                          .weight = norm.weight.data(),
                          .bias = norm.bias.data(),
                          .x = x_.data(),
                          .z = z,
                          .sum = sum,
                          .y = y});
}

RoundedRows Stack::value() {
  return round_(x_.data(), rows_, shape_.width);
}

RoundedRows Stack::normed(const PackedNorm& norm) {
  normalise(norm, pending_ ? z_.data() : nullptr, pending_ ? x_.data() : nullptr, normal_.data());
  pending_ = false;
  return round_(normal_.data(), rows_, shape_.width);
}

void Stack::add_and_norm(SublayerResult, const PackedNorm& norm) {
  normalise(norm, z_.data(), nullptr, x_.data());
}

void Stack::multiply(const PackedLinear& layer, const Panels& panels, const RoundedRows& x, float* y,
                     std::int64_t stride, std::optional<nn::Activation> activation) {
  team_.run([&](int member) {
    const Share share(panels.count, member, team_.members());
    layer.apply(linear_, x, {panels.first + share.first, share.end - share.first},
                y + share.first * kernels::kPanel, stride, activation);
  });
}

float* Stack::projected(std::int64_t width) {
  projected_.resize(rows_ * width);
  return projected_.data();
}

void Stack::attend(std::int64_t row, const float* query, const KeyValues& key_values,
                   std::span<const std::int32_t> rows, const RowBias& bias, const Heads& heads, int member) {
  const auto count = static_cast<std::int64_t>(rows.size()), readers = shape_.heads / shape_.kv_heads;
  const auto first = heads.first * readers, end = heads.end * readers;
  auto& scores = scores_[static_cast<std::size_t>(member)];
  scores.resize((end - first) * (count + 16));
  float* y = attended_.data() + row * shape_.attended_width;
  attention_.attend({.heads = end - first,
                     .key_size = shape_.key_size,
                     .value_size = shape_.value_size,
                     .kv_heads = heads.end - heads.first,
                     .query = query + first * shape_.key_size,
                     .keys = key_values.rows + heads.first * shape_.key_size,
                     .values = key_values.rows + shape_.key_width + heads.first * shape_.value_size,
                     .stride = key_values.stride,
                     .rows = rows.data(),
                     .count = count,
                     .scores = scores.data(),
                     .y = y + first * shape_.value_size,
                     .bias = bias.first == nullptr ? nullptr : bias.first + first * bias.stride,
                     .bias_stride = bias.stride});
  if (end == shape_.heads) std::fill(y + end * shape_.value_size, y + shape_.attended_width, 0.0F);
}

SublayerResult Stack::project(const PackedLinear& output) {
  multiply(output, round_(attended_.data(), rows_, shape_.attended_width), z_.data(), shape_.width);
  return {};
}

SublayerResult Stack::feed_forward(const PackedFeedForward& network, const RoundedRows& y) {
  const auto width = shape_.inner_width;
  if (gate_ != nn::Gate::none) {
    multiply(network.inner, y, inner_.data(), width);
    multiply(network.gate, y, gates_.data(), width);
    gating_.forward({.rows = rows_,
                     .width = width,
                     .kind = gate_,
                     .values = inner_.data(),
                     .gate = gates_.data(),
                     .stride = width,
                     .y = inner_.data()});
  } else {
    multiply(network.inner, y, inner_.data(), width, model_.options().activation);
  }
  multiply(network.outer, round_(inner_.data(), rows_, width), z_.data(), shape_.width);
  return {};
}

Reach reach_of(const models::ModelOptions& options, std::int64_t place, std::int64_t length) {
  const auto window = options.attention_window;
  if (window == 0) return {0, static_cast<std::size_t>(length)};
  const auto first = std::max<std::int64_t>(place - window, 0);
  return {first, static_cast<std::size_t>(std::min(place + window + 1, length) - first)};
}

std::int64_t key_value_stride(const PackedModel& model) {
  const auto stride = static_cast<std::int64_t>(model.decoder.size()) * model.shape().key_value_width();
  // Rows a multiple of 4 KiB apart would share a few sets of the caches.
  return stride % 1024 == 0 ? stride + kernels::kPanel : stride;
}

}  // namespace transformer::engine
