#include "transformer/models/encoder_decoder.h"

#include <utility>

#include "transformer/base/special_tokens.h"
#include "transformer/models/embeddings.h"
#include "transformer/nn/init.h"
#include "transformer/nn/masks.h"

namespace transformer::models {
namespace {

nn::StackOptions stack_options(const ModelOptions& o, std::int64_t layers) {
  return {.layers = layers,
          .positions = o.positions,
          .attention = nn::attention_options(o),
          .feed_forward = nn::feed_forward_options(o),
          .residual = nn::residual_options(o),
          .parallel = o.parallel_sublayers};
}

/// What the decoder's layers keep.
class CachedState : public DecoderState {
 public:
  explicit CachedState(nn::DecoderCache cache) : cache_(std::move(cache)) {}

  std::int64_t sentences() const override { return cache_.sentences(); }
  std::int64_t length() const override { return cache_.length; }
  void select_hypotheses(const torch::Tensor& hypotheses) override { cache_.select_hypotheses(hypotheses); }
  void select_sentences(const torch::Tensor& sentences) override { cache_.select_sentences(sentences); }

  nn::DecoderCache& cache() { return cache_; }

 private:
  nn::DecoderCache cache_;
};

}  // namespace

EncoderDecoderImpl::EncoderDecoderImpl(const ModelOptions& options, const VocabularySizes& vocabulary)
    : Model(options, vocabulary) {
  const auto d_model = options.d_model;
  auto embeddings = register_embeddings(*this, options, vocabulary);
  source_embedding = embeddings.source;
  target_embedding = embeddings.target;
  output = embeddings.output;
  output_bias = embeddings.output_bias;
  const auto positions = [&] {
    return nn::PositionalEncoding(options.positions, d_model, options.max_positions,
                                  variants::Part{options.variants.positions, place_of(options)});
  };
  source_positions = register_module("source_positions", positions());
  target_positions = register_module("target_positions", positions());
  encoder = register_module("encoder", nn::Encoder(stack_options(options, options.encoder_layers)));
  decoder = register_module("decoder", nn::Decoder(stack_options(options, options.decoder_layers)));
  nn::initialize(*this);
}

torch::Tensor EncoderDecoderImpl::in_stream_type(const torch::Tensor& x) const {
  return nn::bounds_sums(options().norm, options().norm_type) ? runtime::in_compute_type(x) : x;
}

torch::Tensor EncoderDecoderImpl::embed(nn::Embedding& embedding, nn::PositionalEncoding& positions,
                                        const torch::Tensor& ids) {
  return ops::dropout(in_stream_type(positions(embedding(ids))), options().dropout, is_training());
}

torch::Tensor EncoderDecoderImpl::embed(nn::Embedding& embedding, nn::PositionalEncoding& positions,
                                        const Packed& ids) {
  return ops::dropout(in_stream_type(positions->packed(embedding(ids.rows), ids.sequences)),
                      options().dropout, is_training());
}

Packed EncoderDecoderImpl::encode(const Packed& ids) {
  const auto& sequences = ids.sequences;
  const ops::PackedRows rows(sequences);
  const auto mask = ops::AttentionMask::packed(sequences, sequences, /*causal=*/false);
  return {encoder(embed(source_embedding, source_positions, ids), mask), sequences};
}

Packed EncoderDecoderImpl::decode(const Packed& ids, const Packed& source) {
  const auto& sequences = ids.sequences;
  const ops::PackedRows rows(sequences);
  const auto self_mask = ops::AttentionMask::packed(sequences, sequences, /*causal=*/true);
  const auto source_mask = ops::AttentionMask::packed(sequences, source.sequences, /*causal=*/false);
  const auto x = embed(target_embedding, target_positions, ids);
  return {decoder(x, source.rows, self_mask, source_mask), sequences};
}

Encoded EncoderDecoderImpl::encode(const torch::Tensor& ids) {
  const auto mask = nn::padding_mask(ids, kPad);
  return {encoder(embed(source_embedding, source_positions, ids), mask), mask};
}

torch::Tensor EncoderDecoderImpl::decode(const torch::Tensor& ids, const Encoded& source) {
  // Padding stands behind each row's tokens, where the causal mask hides it already.
  const auto mask = nn::causal_mask(ids.size(1), ids.device());
  return decoder(embed(target_embedding, target_positions, ids), source.states, mask, source.mask);
}

torch::Tensor EncoderDecoderImpl::logits(const torch::Tensor& x) {
  return output->logits(x, output_bias);
}

torch::Tensor EncoderDecoderImpl::forward(const torch::Tensor& source, const torch::Tensor& target) {
  return logits(decode(target, encode(source)));
}

nn::DecoderCache EncoderDecoderImpl::start(const Encoded& source) {
  return decoder->start(source.states, source.mask);
}

torch::Tensor EncoderDecoderImpl::step(const torch::Tensor& ids, nn::DecoderCache& cache) {
  // To their positions the hypotheses of all sentences are one row each, and to the decoder a sentence's one.
  const auto embedded = target_embedding(ids);  // (B, W, D)
  const auto rows = embedded.flatten(0, 1).unsqueeze(1);
  const auto placed = cache.position.defined() ? target_positions->at(rows, cache.position)
                                               : target_positions(rows, cache.length);
  return logits(decoder->step(in_stream_type(placed).view_as(embedded), cache));
}

nn::BeamCache EncoderDecoderImpl::start_beam(const Encoded& source, std::int64_t width,
                                             std::int64_t longest) {
  // So that no step has to make vectors of positions.
  target_positions(torch::empty({0, longest, options().d_model}, source.states.options()));
  return decoder->start_beam(source.states, source.mask, width, longest);
}

torch::Tensor EncoderDecoderImpl::step(const torch::Tensor& ids, nn::BeamCache& cache) {
  const auto embedded = target_embedding(ids);  // (B, W, D)
  const auto placed = target_positions(embedded.flatten(0, 1).unsqueeze(1), cache.length);
  return logits(decoder->step(in_stream_type(placed).view_as(embedded), cache));
}

const torch::Tensor& EncoderDecoderImpl::output_weight() const {
  return output->weight;
}

torch::Tensor EncoderDecoderImpl::states(const Packed& source, const Packed& target) {
  return decode(target, encode(source)).rows;
}

torch::Tensor EncoderDecoderImpl::states(const torch::Tensor& source, const torch::Tensor& target) {
  return decode(target, encode(source));
}

std::unique_ptr<DecoderState> EncoderDecoderImpl::start(const torch::Tensor& source) {
  return std::make_unique<CachedState>(start(encode(source)));
}

torch::Tensor EncoderDecoderImpl::step(const torch::Tensor& ids, DecoderState& state) {
  return step(ids, dynamic_cast<CachedState&>(state).cache());
}

EncoderDecoder as_encoder_decoder(const AnyModel& model) {
  return EncoderDecoder(std::dynamic_pointer_cast<EncoderDecoderImpl>(model.ptr()));
}

}  // namespace transformer::models
