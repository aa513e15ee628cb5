#include "transformer/models/encoder_decoder.h"

#include <algorithm>
#include <utility>

#include "transformer/base/special_tokens.h"
#include "transformer/models/embeddings.h"
#include "transformer/models/stack_parts.h"
#include "transformer/nn/init.h"
#include "transformer/nn/masks.h"
#include "transformer/ops/tracing.h"

namespace transformer::models {
namespace {

/// The same sequences without their last tokens, where they have others.
Packed without_ends(const Packed& ids) {
  const auto& all = ids.sequences;
  const auto lengths = (all.offsets.diff() - 1).clamp_min(1);
  const auto offsets = torch::cat({lengths.new_zeros({1}), lengths.cumsum(0)});
  const auto kept = torch::ones({all.rows()}, ids.rows.options().dtype(torch::kBool))
                        .index_fill(0, all.device_offsets.slice(0, 1).to(torch::kLong) - 1, false)
                        .logical_or(all.places.eq(0))
                        .nonzero()
                        .squeeze(1);
  return {ids.rows.index_select(0, kept),
          {offsets, offsets.to(all.device_offsets.options()), all.places.index_select(0, kept),
           std::max<std::int64_t>(all.longest - 1, 1)}};
}

/// (B, S) → (B, 1, 1, S), false at ends behind other tokens.
torch::Tensor mask_of_ends(const torch::Tensor& ids) {
  return nn::padding_mask(ids, kEos).logical_or(ops::places_of(ids.select(0, 0)).eq(0));
}

}  // namespace

EncoderDecoderImpl::EncoderDecoderImpl(const ModelOptions& options, const VocabularySizes& vocabulary)
    : Model(options, vocabulary) {
  auto embeddings = register_embeddings(*this, options, vocabulary);
  source_embedding = embeddings.source;
  target_embedding = embeddings.target;
  output = embeddings.output;
  output_bias = embeddings.output_bias;
  source_positions = register_module("source_positions", positional_encoding(options));
  target_positions = register_module("target_positions", positional_encoding(options));
  if (options.embedding_norm) {
    source_embedding_norm = register_module("source_embedding_norm", embedding_norm(options));
    target_embedding_norm = register_module("target_embedding_norm", embedding_norm(options));
  }
  encoder = register_module("encoder", nn::Encoder(stack_options(options, options.encoder_layers)));
  decoder = register_module("decoder", nn::Decoder(stack_options(options, options.decoder_layers)));
  nn::initialize(*this);
}

StackInput EncoderDecoderImpl::source_input() {
  return {options(), source_embedding, source_positions, source_embedding_norm, is_training()};
}

StackInput EncoderDecoderImpl::target_input() {
  return {options(), target_embedding, target_positions, target_embedding_norm, is_training()};
}

Packed EncoderDecoderImpl::encode(const Packed& with_ends) {
  const auto ids = options().source_end ? with_ends : without_ends(with_ends);
  const auto& sequences = ids.sequences;
  const ops::PackedRows rows(sequences);
  const auto mask = ops::AttentionMask::packed(sequences, sequences, /*causal=*/false);
  return {encoder(source_input().of(ids), mask), sequences};
}

Packed EncoderDecoderImpl::decode(const Packed& ids, const Packed& source) {
  const auto& sequences = ids.sequences;
  const ops::PackedRows rows(sequences);
  const auto self_mask = ops::AttentionMask::packed(sequences, sequences, /*causal=*/true);
  const auto source_mask = ops::AttentionMask::packed(sequences, source.sequences, /*causal=*/false);
  return {decoder(target_input().of(ids), source.rows, self_mask, source_mask), sequences};
}

Encoded EncoderDecoderImpl::encode(const torch::Tensor& ids) {
  auto mask = nn::padding_mask(ids, kPad);
  if (!options().source_end) mask = mask.logical_and(mask_of_ends(ids));
  return {encoder(source_input().of(ids), mask), mask};
}

torch::Tensor EncoderDecoderImpl::decode(const torch::Tensor& ids, const Encoded& source) {
  // Padding stands behind each row's tokens, where the causal mask hides it already.
  const auto mask = nn::causal_mask(ids.size(1), ids.device());
  return decoder(target_input().of(ids), source.states, mask, source.mask);
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
  return logits(decoder->step(target_input().next(ids, cache), cache));
}

nn::BeamCache EncoderDecoderImpl::start_beam(const Encoded& source, std::int64_t width,
                                             std::int64_t longest) {
  target_positions(torch::empty({0, longest, options().d_model}, source.states.options()));  // may refuse
  auto cache = decoder->start_beam(source.states, source.mask, width);
  add_vectors(cache);
  return cache;
}

void EncoderDecoderImpl::reserve(nn::BeamCache& cache, std::int64_t positions) {
  if (decoder->reserve(cache, positions)) add_vectors(cache);
}

void EncoderDecoderImpl::add_vectors(nn::BeamCache& cache) {
  const auto embedded = target_embedding(torch::full({1, 1}, kBos, cache.position.options()));
  cache.vectors = target_positions->table(cache.positions(), embedded.options());
}

torch::Tensor EncoderDecoderImpl::step(const torch::Tensor& ids, nn::BeamCache& cache) {
  reserve(cache, cache.length + 1);
  const auto embedded = target_embedding(ids);  // (B, W, D)
  const auto placed =
      cache.vectors.defined()
          ? embedded + cache.vectors.index_select(0, cache.position)
          : target_positions->at(embedded.flatten(0, 1).unsqueeze(1), cache.position).view_as(embedded);
  return logits(decoder->step(target_input().stream(placed), cache));
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

std::vector<AttentionLayer> EncoderDecoderImpl::source_attentions() const {
  std::vector<AttentionLayer> found;
  for (std::size_t i = 0; i < decoder->layers->size(); ++i)
    if (const auto& attention = decoder->layers->ptr<nn::DecoderLayerImpl>(i)->cross_attention)
      found.push_back({.module = attention.get(), .heads = options().heads});
  return found;
}

EncoderDecoder as_encoder_decoder(const AnyModel& model) {
  return EncoderDecoder(std::dynamic_pointer_cast<EncoderDecoderImpl>(model.ptr()));
}

}  // namespace transformer::models
