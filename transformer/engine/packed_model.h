// An encoder-decoder made ready for translation on a CPU: weights rounded and reordered once.
#pragma once

#include <memory>
#include <vector>

#include "transformer/engine/packed_linear.h"
#include "transformer/engine/weights.h"
#include "transformer/kernels/isa.h"
#include "transformer/models/options.h"

namespace transformer::engine {

/// Sizes in floats. Heads are padded with zeros to multiples of 16, rows to multiples of kernels::kPanel.
struct Shape {
  std::int64_t d_model = 0;
  std::int64_t width = 0;  ///< d_model, padded
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;        ///< heads of keys and values
  std::int64_t key_size = 0;        ///< numbers in a head's query or key, padded
  std::int64_t value_size = 0;      ///< numbers in a head's value, padded
  std::int64_t query_width = 0;     ///< all heads' queries, padded
  std::int64_t key_width = 0;       ///< all heads' keys, padded
  std::int64_t value_width = 0;     ///< all heads' values, padded
  std::int64_t attended_width = 0;  ///< results of all heads, padded
  std::int64_t inner_width = 0;     ///< d_ff, padded
  std::int64_t position_width = 0;  ///< numbers that the engine keeps for a position: see positions.h

  /// Of a position's keys and values.
  std::int64_t key_value_width() const { return key_width + value_width; }
};

struct PackedNorm {
  kernels::Buffer<float> weight;  ///< (width), zeros beyond d_model
  kernels::Buffer<float> bias;    ///< the same; empty of RMS norms, which subtract no mean either
};

/// RMS norms of each head's queries and keys, which take the place of the scale in the queries' projection;
/// empty if there are none.
struct PackedHeadNorms {
  kernels::Buffer<float> query, key;  ///< (key_size), zeros beyond d_k
};

struct PackedFeedForward {
  PackedLinear inner, outer;
  PackedLinear gate;  ///< if the layers have gates
};

/// Queries come out of their projection, or of their norm, scaled by 1 / √d_k, if they are to be.
struct PackedSelfAttention {
  PackedLinear projections;  ///< queries (query_width), then keys and values (key_value_width)
  PackedLinear output;
  PackedHeadNorms norms;
};

struct PackedCrossAttention {
  PackedLinear query, output;
  PackedHeadNorms norms;
};

/// Named as the modules name their parts (nn/layer_order.h).
struct PackedEncoderLayer {
  PackedSelfAttention self_attention;
  PackedNorm self_attention_residual;
  PackedFeedForward feed_forward;
  PackedNorm feed_forward_residual;
};

struct PackedDecoderLayer {
  PackedSelfAttention self_attention;
  PackedNorm self_attention_residual;
  PackedCrossAttention cross_attention = {};  ///< with a source
  PackedNorm cross_attention_residual = {};
  PackedFeedForward feed_forward;
  PackedNorm feed_forward_residual;
};

/// (rows, width) vectors: embeddings, √d_model included, or (rows, position_width) positions.
struct VectorTable {
  std::int64_t rows = 0;
  kernels::Buffer<float> values;
};

class Packer;

/// Immutable, so that any number of threads may share it. It keeps nothing of the model it was made from.
class PackedModel {
 public:
  /// isa: which kernels to use. Throws InputError, naming the option, for a model that the engine cannot
  /// compute (support.h), and naming the weight where one is missing or of another size than the options and
  /// the vocabulary say.
  PackedModel(const models::ModelOptions& options, const models::VocabularySizes& vocabulary,
              const Weights& weights, Precision precision, kernels::Isa isa = kernels::best_isa());

  const models::ModelOptions& options() const { return options_; }
  const models::VocabularySizes& vocabulary() const { return vocabulary_; }
  Precision precision() const { return precision_; }
  kernels::Isa isa() const { return isa_; }
  const Shape& shape() const { return shape_; }

  /// A decoder alone has only target parts.
  std::shared_ptr<const VectorTable> source_embedding, target_embedding;
  VectorTable source_positions, target_positions;  ///< all learned ones, or the first of the others
  std::vector<PackedEncoderLayer> encoder;
  std::vector<PackedDecoderLayer> decoder;
  PackedNorm encoder_norm, decoder_norm;  ///< pre-norm only
  /// (buckets, heads), self-attention's biases by distance; empty of other positions
  kernels::Buffer<float> source_buckets, target_buckets;
  PackedNorm source_embedding_norm, target_embedding_norm;  ///< empty without model.embedding_norm
  /// The encoder's output → each decoder layer's keys and values (key_value_width)
  PackedLinear source_key_values;
  PackedLinear output;  ///< → logits

 private:
  void pack_encoder(const Packer& packer);
  void pack_decoder(const Packer& packer);

  models::ModelOptions options_;
  models::VocabularySizes vocabulary_;
  Precision precision_;
  kernels::Isa isa_;
  Shape shape_;
};

}  // namespace transformer::engine
