#include "transformer/models/stack_parts.h"

#include "transformer/ops/dropout.h"

namespace transformer::models {

nn::StackOptions stack_options(const ModelOptions& o, std::int64_t layers) {
  return {.layers = layers,
          .positions = o.positions,
          .rotary_base = o.rotary_base,
          .attention = nn::attention_options(o),
          .feed_forward = nn::feed_forward_options(o),
          .residual = nn::residual_options(o),
          .parallel = o.parallel_sublayers,
          .source = stacks_of(o).encoder};
}

nn::PositionalEncoding positional_encoding(const ModelOptions& o) {
  nn::PositionalEncoding made(o.positions, o.d_model, o.max_positions,
                              variants::Part{o.variants.positions, place_of(o)});
  return made;
}

nn::Norm embedding_norm(const ModelOptions& o) {
  return o.embedding_norm ? nn::norm_of(nn::residual_options(o)) : nn::Norm(nullptr);
}

torch::Tensor in_stream_type(const ModelOptions& options, const torch::Tensor& x) {
  return nn::bounds_sums(options.norm, options.norm_type) ? runtime::in_compute_type(x) : x;
}

torch::Tensor StackInput::stream(const torch::Tensor& placed) const {
  return in_stream_type(options, norm ? norm(placed) : placed);
}

torch::Tensor StackInput::of(const torch::Tensor& ids) const {
  return ops::dropout(stream(positions(embedding(ids))), options.dropout, training);
}

torch::Tensor StackInput::of(const Packed& ids) const {
  return ops::dropout(stream(positions->packed(embedding(ids.rows), ids.sequences)), options.dropout,
                      training);
}

torch::Tensor StackInput::next(const torch::Tensor& ids, const nn::DecoderCache& cache) const {
  // To their positions the hypotheses of all sentences are one row each, and to the decoder a sentence's one.
  const auto embedded = embedding(ids);
  const auto rows = embedded.flatten(0, 1).unsqueeze(1);
  const auto placed =
      cache.position.defined() ? positions->at(rows, cache.position) : positions(rows, cache.length);
  return stream(placed).view_as(embedded);
}

}  // namespace transformer::models
