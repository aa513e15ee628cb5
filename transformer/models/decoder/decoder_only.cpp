#include "transformer/models/decoder/decoder_only.h"

#include <string>

#include "transformer/models/kinds.h"
#include "transformer/nn/init.h"
#include "transformer/nn/masks.h"

namespace transformer::models {

DecoderOnlyImpl::DecoderOnlyImpl(const ModelOptions& options, const VocabularySizes& vocabulary)
    : Model(options, vocabulary) {
  const auto matrix = [&] {
    return nn::Embedding(vocabulary.target, options.d_model, options.scale_embedding);
  };
  embedding = register_module("embedding", matrix());
  output = nn::ties_output(options.tie) ? embedding : register_module("output", matrix());
  if (options.output_bias) output_bias = register_parameter("output_bias", torch::zeros({vocabulary.target}));
  positions = register_module("positions", positional_encoding(options));
  if (options.embedding_norm) norm = register_module("embedding_norm", embedding_norm(options));
  decoder = register_module("decoder", nn::Decoder(stack_options(options, options.decoder_layers)));
  nn::initialize(*this);
}

torch::Tensor DecoderOnlyImpl::states(const Packed& text) {
  const auto& sequences = text.sequences;
  const ops::PackedRows rows(sequences);
  const auto mask = ops::AttentionMask::packed(sequences, sequences, /*causal=*/true);
  return decoder(input().of(text), torch::Tensor(), mask, ops::AttentionMask());
}

torch::Tensor DecoderOnlyImpl::states(const torch::Tensor& text) {
  // Padding stands behind each row's tokens, where the causal mask hides it already.
  const auto mask = nn::causal_mask_of(text);
  return decoder(input().of(text), torch::Tensor(), mask, ops::AttentionMask());
}

std::unique_ptr<DecoderState> DecoderOnlyImpl::start(const torch::Tensor& text) {
  const auto texts = text.size(0);
  const auto numbers = embedding->weight.options();
  auto cache = decoder->start(torch::empty({texts, 0, options().d_model}, numbers),
                              torch::empty({texts, 1, 1, 0}, numbers.dtype(torch::kBool)));
  if (text.size(1) > 0) decoder->read(input().of(text), cache);
  return std::make_unique<CachedState>(std::move(cache));
}

torch::Tensor DecoderOnlyImpl::step(const torch::Tensor& ids, DecoderState& state) {
  auto& cache = dynamic_cast<CachedState&>(state).cache();
  return logits(decoder->step(input().next(ids, cache), cache));
}

void add_decoder_only() {
  variants::Declaration declaration{.name = kDecoder, .about = "the paper's decoder alone, without a source"};
  each_option([&](const std::string& name, auto) {
    if (name != "encoder_layers" && name != "source_end") declaration.keys.push_back("model." + name);
  });
  using variants::Kind;
  for (const auto kind : {Kind::attention, Kind::feed_forward, Kind::norm, Kind::positions})
    declaration.keys.push_back(variants::key_of(kind));
  add_kind(std::move(declaration),
           [](const ModelOptions& options, const VocabularySizes& vocabulary, const variants::Values&) {
             return std::make_shared<DecoderOnlyImpl>(options, vocabulary);
           });
}

}  // namespace transformer::models
