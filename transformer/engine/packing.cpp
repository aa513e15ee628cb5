#include "transformer/engine/packing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "transformer/base/error.h"
#include "transformer/engine/positions.h"
#include "transformer/kernels/relative_bucket.h"
#include "transformer/models/tensors.h"

namespace transformer::engine {
namespace {

/// Heads are padded to whole vectors of the widest kernels.
std::int64_t padded_head(std::int64_t size) {
  return (size + 15) / 16 * 16;
}

VectorTable padded_table(const float* from, std::int64_t rows, std::int64_t columns, std::int64_t width,
                         float factor) {
  VectorTable result{rows, kernels::Buffer<float>(rows * width)};
  for (std::int64_t row = 0; row < rows; ++row) {
    float* to = result.values.data() + row * width;
    std::transform(from + row * columns, from + (row + 1) * columns, to,
                   [&](float value) { return value * factor; });
    std::fill(to + columns, to + width, 0.0F);
  }
  return result;
}

}  // namespace

Shape shape_of(const models::ModelOptions& o) {
  const auto key = padded_head(o.d_k), value = padded_head(o.d_v), kv_heads = models::kv_heads_of(o);
  return {.d_model = o.d_model,
          .width = kernels::padded(o.d_model),
          .heads = o.heads,
          .kv_heads = kv_heads,
          .key_size = key,
          .value_size = value,
          .query_width = kernels::padded(o.heads * key),
          .key_width = kernels::padded(kv_heads * key),
          .value_width = kernels::padded(kv_heads * value),
          .attended_width = kernels::padded(o.heads * value),
          .inner_width = kernels::padded(o.d_ff),
          .position_width = position_width(o)};
}

Packer::Packer(const models::ModelOptions& options, const models::VocabularySizes& vocabulary,
               const Shape& shape, Precision precision, const Weights& weights)
    : options_(options), shape_(shape), precision_(precision), weights_(weights) {
  for (const auto& tensor : models::tensors_of(options, vocabulary)) {
    const auto found = weights.find(tensor.name);
    if (found == weights.end()) throw InputError(fmt::format("the weight '{}' is missing", tensor.name));
    if (found->second.sizes != tensor.shape)
      throw InputError(fmt::format("the weight '{}': expected the sizes [{}], found [{}]", tensor.name,
                                   fmt::join(tensor.shape, ", "), fmt::join(found->second.sizes, ", ")));
  }
}

VectorTable Packer::table(const std::string& name, float factor) const {
  return padded_table(values(name), weights_.at(name).sizes.front(), options_.d_model, shape_.width, factor);
}

kernels::Buffer<float> Packer::buckets(const std::string& stack) const {
  if (nn::about(options_.positions).score_bias != nn::ScoreBias::buckets) return {};
  const auto size = kernels::kRelativeBuckets * options_.heads;
  kernels::Buffer<float> all(size);
  std::copy_n(values(stack + ".positions.weight"), size, all.data());
  return all;
}

PackedNorm Packer::norm(const std::string& name) const {
  const auto vector = [&](const std::string& part) {
    return padded_table(values(name + part), 1, options_.d_model, shape_.width, 1.0F).values;
  };
  if (nn::weights_of(options_.norm_type) == 1) return {vector(".weight"), {}};
  return {vector(".weight"), vector(".bias")};
}

void Packer::add_projection(Rows& all, const std::string& name, const Heads& heads, float factor) const {
  const auto [count, size, padded, total] = heads;
  const auto inputs = options_.d_model;
  const float* weight = values(name + ".weight");
  const float* bias = options_.attention_bias ? values(name + ".bias") : nullptr;
  const auto first = static_cast<std::int64_t>(all.bias.size());
  all.inputs = inputs;
  all.weight.resize(static_cast<std::size_t>((first + total) * inputs));
  all.bias.resize(static_cast<std::size_t>(first + total));
  for (std::int64_t row = 0; row < count * size; ++row) {
    const auto to = first + row / size * padded + row % size;
    std::transform(weight + row * inputs, weight + (row + 1) * inputs, all.weight.data() + to * inputs,
                   [&](float value) { return value * factor; });
    if (bias != nullptr) all.bias[static_cast<std::size_t>(to)] = bias[row] * factor;
  }
}

float Packer::query_scale() const {
  return options_.attention_scale ? static_cast<float>(1.0 / std::sqrt(static_cast<double>(options_.d_k)))
                                  : 1.0F;
}

void Packer::add_query(Rows& all, const std::string& attention) const {
  // A norm would take the scale away again.
  add_projection(all, attention + ".query", {shape_.heads, options_.d_k, shape_.key_size, shape_.query_width},
                 options_.qk_norm ? 1.0F : query_scale());
}

void Packer::add_key_and_value(Rows& all, const std::string& attention) const {
  const auto heads = shape_.kv_heads;
  add_projection(all, attention + ".key", {heads, options_.d_k, shape_.key_size, shape_.key_width}, 1.0F);
  add_projection(all, attention + ".value", {heads, options_.d_v, shape_.value_size, shape_.value_width},
                 1.0F);
}

PackedHeadNorms Packer::head_norms(const std::string& attention) const {
  if (!options_.qk_norm) return {};
  const auto weight = [&](const std::string& name, float factor) {
    return padded_table(values(attention + name), 1, options_.d_k, shape_.key_size, factor).values;
  };
  return {weight(".norm_of_queries.weight", query_scale()), weight(".norm_of_keys.weight", 1.0F)};
}

PackedLinear Packer::linear(const Rows& rows) const {
  return {rows.weight.data(), rows.bias.data(), std::ssize(rows.bias), rows.inputs, precision_};
}

PackedLinear Packer::attention_output(const std::string& attention) const {
  const auto size = options_.d_v, padded = shape_.value_size;
  const auto from = shape_.heads * size, to = shape_.heads * padded;
  const float* weight = values(attention + ".output.weight");
  const float* bias = options_.attention_bias ? values(attention + ".output.bias") : nullptr;
  std::vector<float> columns(static_cast<std::size_t>(options_.d_model * to));
  for (std::int64_t row = 0; row < options_.d_model; ++row)
    for (std::int64_t head = 0; head < shape_.heads; ++head)
      std::copy_n(weight + row * from + head * size, size, columns.data() + row * to + head * padded);
  return {columns.data(), bias, options_.d_model, to, precision_};
}

PackedSelfAttention Packer::self_attention(const std::string& name) const {
  Rows rows;
  add_query(rows, name);
  add_key_and_value(rows, name);
  return {linear(rows), attention_output(name), head_norms(name)};
}

PackedCrossAttention Packer::cross_attention(const std::string& name) const {
  Rows rows;
  add_query(rows, name);
  return {linear(rows), attention_output(name), head_norms(name)};
}

PackedFeedForward Packer::feed_forward(const std::string& name) const {
  const auto layer = [&](const std::string& part, std::int64_t outputs, std::int64_t inputs) {
    return PackedLinear(values(name + part + ".weight"), values(name + part + ".bias"), outputs, inputs,
                        precision_);
  };
  return {layer(".inner", options_.d_ff, options_.d_model), layer(".outer", options_.d_model, options_.d_ff),
          nn::gate_of(options_.feed_forward) != nn::Gate::none
              ? layer(".gate", options_.d_ff, options_.d_model)
              : PackedLinear()};
}

PackedLinear Packer::key_values(const std::vector<std::string>& attentions) const {
  Rows rows;
  for (const auto& attention : attentions) add_key_and_value(rows, attention);
  return linear(rows);
}

PackedLinear Packer::output(const std::string& weight, const std::string& bias) const {
  return PackedLinear(values(weight), bias.empty() ? nullptr : values(bias),
                      weights_.at(weight).sizes.front(), options_.d_model, precision_);
}

}  // namespace transformer::engine
