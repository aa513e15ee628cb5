#include "transformer/inference/packed_model.h"

#include <fmt/format.h>

#include <cmath>

#include "transformer/base/error.h"
#include "transformer/inference/support.h"
#include "transformer/nn/rotary.h"

namespace transformer::inference {
namespace {

using torch::Tensor;

/// Positions that are computed once for all decoders: enough for nearly all sentences.
constexpr std::int64_t kPositions = 256;

std::int64_t padded_head(std::int64_t size) {
  return (size + 15) / 16 * 16;
}

std::int64_t position_width(const models::ModelOptions& o) {
  switch (nn::where_enter(o.positions)) {
    case nn::PositionsEnter::embeddings:
      return kernels::padded(o.d_model);
    case nn::PositionsEnter::queries_and_keys:
      return 2 * o.d_k;
    case nn::PositionsEnter::scores:
      return 0;
  }
  nn::no_such_choice();
}

Shape shape_of(const models::ModelOptions& o) {
  const auto key = padded_head(o.d_k), value = padded_head(o.d_v);
  return {.d_model = o.d_model,
          .width = kernels::padded(o.d_model),
          .heads = o.heads,
          .key_size = key,
          .value_size = value,
          .query_width = kernels::padded(o.heads * key),
          .value_width = kernels::padded(o.heads * value),
          .inner_width = kernels::padded(o.d_ff),
          .position_width = position_width(o)};
}

/// x with zeros behind each of its rows (dimension `dim`) up to `size`.
Tensor pad(const Tensor& x, std::int64_t dim, std::int64_t size) {
  auto sizes = x.sizes().vec();
  sizes[static_cast<std::size_t>(dim)] = size;
  auto result = torch::zeros(sizes, x.options());
  result.narrow(dim, 0, x.size(dim)).copy_(x);
  return result;
}

/// Rows (heads · size, …) → (total, …), each head padded to `head` rows.
Tensor pad_heads(const Tensor& rows, std::int64_t heads, std::int64_t head, std::int64_t total) {
  return pad(pad(rows.unflatten(0, {heads, -1}), 1, head).flatten(0, 1), 0, total);
}

/// (rows, width) → (rows, to)
VectorTable padded_table(const Tensor& from, std::int64_t to) {
  const auto rows = pad(from.to(torch::kFloat), 1, to).contiguous();
  VectorTable result{rows.size(0), kernels::Buffer<float>(rows.numel())};
  std::copy_n(rows.data_ptr<float>(), rows.numel(), result.values.data());
  return result;
}

/// Packs the parts of a model in one precision.
class Packer {
 public:
  Packer(const models::ModelOptions& options, const Shape& shape, Precision precision)
      : options_(options), shape_(shape), precision_(precision) {}

  PackedNorm norm(const torch::nn::LayerNorm& from) const {
    return {table(from->weight.unsqueeze(0)).values, table(from->bias.unsqueeze(0)).values};
  }

  /// (rows, d_model) → (rows, width)
  VectorTable table(const Tensor& from, double factor = 1.0) const {
    return padded_table(from.to(torch::kFloat) * factor, shape_.width);
  }

  PackedSelfAttention self_attention(const nn::MultiHeadAttention& from,
                                     const nn::ResidualNorm& residual) const {
    return {linear({query(from), key(from), value(from)}), output(from), norm(residual->norm)};
  }

  PackedSourceAttention source_attention(const nn::MultiHeadAttention& from,
                                         const nn::ResidualNorm& residual) const {
    return {linear({query(from)}), output(from), norm(residual->norm)};
  }

  PackedFeedForward feed_forward(const nn::FeedForward& from, const nn::ResidualNorm& residual) const {
    return {PackedLinear(from->inner->weight, from->inner->bias, precision_),
            PackedLinear(from->outer->weight, from->outer->bias, precision_), norm(residual->norm)};
  }

  PackedLinear source_memory(const nn::Decoder& from) const {
    std::vector<Projection> all;
    for (const auto& layer : *from->layers) {
      const auto& attention = layer->as<nn::DecoderLayer>()->source_attention;
      all.push_back(key(attention));
      all.push_back(value(attention));
    }
    return linear(all);
  }

 private:
  struct Projection {
    Tensor weight, bias;
  };

  Projection projection(const torch::nn::Linear& from, std::int64_t head, std::int64_t total) const {
    const auto bias = from->bias.defined() ? from->bias : from->weight.new_zeros({from->weight.size(0)});
    return {pad_heads(from->weight.to(torch::kFloat), shape_.heads, head, total),
            pad_heads(bias.to(torch::kFloat), shape_.heads, head, total)};
  }

  Projection query(const nn::MultiHeadAttention& from) const {
    const double scale = 1.0 / std::sqrt(static_cast<double>(options_.d_k));
    const auto unscaled = projection(from->query, shape_.key_size, shape_.query_width);
    return {unscaled.weight * scale, unscaled.bias * scale};
  }

  Projection key(const nn::MultiHeadAttention& from) const {
    return projection(from->key, shape_.key_size, shape_.query_width);
  }

  Projection value(const nn::MultiHeadAttention& from) const {
    return projection(from->value, shape_.value_size, shape_.value_width);
  }

  PackedLinear linear(const std::vector<Projection>& parts) const {
    std::vector<Tensor> weights, biases;
    for (const auto& part : parts) {
      weights.push_back(part.weight);
      biases.push_back(part.bias);
    }
    return PackedLinear(torch::cat(weights), torch::cat(biases), precision_);
  }

  PackedLinear output(const nn::MultiHeadAttention& from) const {
    const auto inputs = shape_.heads * shape_.value_size;
    const auto columns = pad_heads(from->output->weight.t(), shape_.heads, shape_.value_size, inputs);
    return PackedLinear(columns.t(), from->output->bias, precision_);
  }

  const models::ModelOptions& options_;
  const Shape& shape_;
  Precision precision_;
};

}  // namespace

PackedModel::PackedModel(const models::EncoderDecoder& model, Precision precision, kernels::Isa isa)
    : options_(model->options()),
      vocabulary_(model->vocabulary()),
      precision_(precision),
      isa_(isa),
      shape_(shape_of(options_)) {
  TORCH_CHECK(model->device().is_cpu(), "a packed model is made from one on the CPU");
  if (const auto option = unsupported(options_))
    throw InputError(
        fmt::format("{}: expected an option that the engine for CPUs knows, found another", *option));
  const torch::NoGradGuard no_grad;
  const Packer packer(options_, shape_, precision);
  const double scale = std::sqrt(static_cast<double>(options_.d_model));
  const auto embedding = [&](const nn::Embedding& from) {
    return std::make_shared<const VectorTable>(packer.table(from->weight, scale));
  };
  source_embedding = embedding(model->source_embedding);
  const bool shared = model->target_embedding.ptr() == model->source_embedding.ptr();
  target_embedding = shared ? source_embedding : embedding(model->target_embedding);
  if (nn::are_learned_vectors(options_.positions)) {
    source_positions = packer.table(model->source_positions->weight);
    target_positions = packer.table(model->target_positions->weight);
  } else {
    source_positions = packed_positions(options_, shape_, kPositions);
    target_positions = packed_positions(options_, shape_, kPositions);
  }
  for (const auto& module : *model->encoder->layers) {
    const auto* layer = module->as<nn::EncoderLayer>();
    encoder.push_back({packer.self_attention(layer->self_attention, layer->self_attention_residual),
                       packer.feed_forward(layer->feed_forward, layer->feed_forward_residual)});
  }
  for (const auto& module : *model->decoder->layers) {
    const auto* layer = module->as<nn::DecoderLayer>();
    decoder.push_back({packer.self_attention(layer->self_attention, layer->self_attention_residual),
                       packer.source_attention(layer->source_attention, layer->source_attention_residual),
                       packer.feed_forward(layer->feed_forward, layer->feed_forward_residual)});
  }
  if (nn::norm_comes_first(options_.norm)) {
    encoder_norm = packer.norm(model->encoder->norm);
    decoder_norm = packer.norm(model->decoder->norm);
  }
  source_memory = packer.source_memory(model->decoder);
  output = PackedLinear(model->output_weight(), model->output_bias, precision);
}

VectorTable packed_positions(const models::ModelOptions& options, const Shape& shape, std::int64_t length) {
  switch (nn::where_enter(options.positions)) {
    case nn::PositionsEnter::embeddings:
      return padded_table(nn::sinusoids(options.positions, length, options.d_model), shape.position_width);
    case nn::PositionsEnter::queries_and_keys: {
      const auto rotation = nn::rotation_at(torch::arange(length), options.d_k);  // (2, length, d_k)
      return padded_table(torch::cat({rotation[0], rotation[1]}, 1), shape.position_width);
    }
    case nn::PositionsEnter::scores:
      break;
  }
  throw std::logic_error("positions that unsupported() names");
}

}  // namespace transformer::inference
