// The parts of a model, packed in one precision: heads and rows padded with zeros, attention's scale and the
// embeddings' put into the weights.
#pragma once

#include <string>
#include <vector>

#include "transformer/engine/packed_model.h"
#include "transformer/engine/weights.h"

namespace transformer::engine {

Shape shape_of(const models::ModelOptions& options);

class Packer {
 public:
  /// Throws InputError, naming the weight, where one is missing or of another size than models::tensors_of
  /// says.
  Packer(const models::ModelOptions& options, const models::VocabularySizes& vocabulary, const Shape& shape,
         Precision precision, const Weights& weights);

  /// Rows of d_model numbers, multiplied by `factor` and padded to the width.
  VectorTable table(const std::string& name, float factor) const;

  /// The learned biases of a stack's self-attention by distance, (buckets, heads), or nothing.
  kernels::Buffer<float> buckets(const std::string& stack) const;

  /// A normalisation, from NAME.weight and, if it has one, NAME.bias.
  PackedNorm norm(const std::string& name) const;
  PackedSelfAttention self_attention(const std::string& name) const;
  PackedCrossAttention cross_attention(const std::string& name) const;
  PackedFeedForward feed_forward(const std::string& name) const;
  /// The keys and values of each of these cross-attentions, side by side.
  PackedLinear key_values(const std::vector<std::string>& attentions) const;
  /// The output projection; bias: the name of its bias, or empty.
  PackedLinear output(const std::string& weight, const std::string& bias) const;

 private:
  /// Rows of weights with a bias for each.
  struct Rows {
    std::int64_t inputs = 0;
    std::vector<float> weight, bias;
  };

  const float* values(const std::string& name) const { return weights_.at(name).values; }
  /// So many heads of `size` channels, each padded to `padded`, all of them to `total`.
  struct Heads {
    std::int64_t count, size, padded, total;
  };

  /// A projection to heads, times a factor, appended to `all`.
  void add_projection(Rows& all, const std::string& name, const Heads& heads, float factor) const;
  void add_query(Rows& all, const std::string& attention) const;
  void add_key_and_value(Rows& all, const std::string& attention) const;
  float query_scale() const;
  PackedHeadNorms head_norms(const std::string& attention) const;
  PackedLinear linear(const Rows& rows) const;
  PackedLinear attention_output(const std::string& attention) const;

  const models::ModelOptions& options_;
  const Shape& shape_;
  Precision precision_;
  const Weights& weights_;
};

}  // namespace transformer::engine
