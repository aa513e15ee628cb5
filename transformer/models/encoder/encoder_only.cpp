#include "transformer/models/encoder/encoder_only.h"

#include <string>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/models/kinds.h"
#include "transformer/nn/activation.h"
#include "transformer/nn/init.h"
#include "transformer/nn/masks.h"
#include "transformer/ops/dropout.h"
#include "transformer/ops/linear.h"

namespace transformer::models {
namespace {

torch::Tensor applied(const torch::nn::Linear& layer, const torch::Tensor& x) {
  return ops::linear(x, layer->weight, layer->bias);
}

/// How many ends stand before each token. ids: (…, T) → (…, T)
torch::Tensor ends_before(const torch::Tensor& ids) {
  const auto ends = (ids == kEos).to(torch::kLong);
  return ends.cumsum(-1) - ends;
}

}  // namespace

LabelHeadImpl::LabelHeadImpl(const ModelOptions& options, std::int64_t labels) : dropout_(options.dropout) {
  if (is_of_texts(options.encoder.head))
    dense = register_module("dense", torch::nn::Linear(options.d_model, options.d_model));
  output = register_module("output", torch::nn::Linear(options.d_model, labels));
}

torch::Tensor LabelHeadImpl::forward(const torch::Tensor& states) {
  const auto x = dense.is_empty() ? states : torch::tanh(applied(dense, states));
  return ops::dropout(x, dropout_, is_training());
}

EncoderOnlyImpl::EncoderOnlyImpl(const ModelOptions& options, const VocabularySizes& vocabulary)
    : Model(options, vocabulary) {
  const auto& own = options.encoder;
  if (own.head == Head::none && own.embedding_size > 0 && !own.output_transform)
    throw InputError(
        "model.output_transform: expected true for masked tokens where model.embedding_size is not 0, found "
        "false");
  const auto embedded = as_wide_as_embeddings(options);
  const auto matrix = [&](std::int64_t rows) {
    return nn::Embedding(rows, embedded.d_model, options.scale_embedding);
  };
  embedding = register_module("embedding", matrix(vocabulary.source));
  if (own.head == Head::none) {
    TORCH_CHECK(!nn::ties_output(options.tie) || vocabulary.source == vocabulary.target,
                "model.tie: expected one vocabulary, found sizes ", vocabulary.source, " and ",
                vocabulary.target);
    output = nn::ties_output(options.tie) ? embedding : register_module("output", matrix(vocabulary.target));
    if (options.output_bias)
      output_bias = register_parameter("output_bias", torch::zeros({vocabulary.target}));
  }
  positions = register_module("positions", positional_encoding(embedded));
  if (own.segments > 0)
    segments = register_module("segments", nn::Embedding(own.segments, embedded.d_model, /*scaled=*/false));
  const auto residual = nn::residual_options(embedded);
  if (options.embedding_norm) embedding_norm = register_module("embedding_norm", nn::norm_of(residual));
  if (own.embedding_size > 0)
    embedding_projection =
        register_module("embedding_projection", torch::nn::Linear(embedded.d_model, options.d_model));
  encoder = register_module("encoder", nn::Encoder(stack_options(options, options.encoder_layers)));
  if (own.head == Head::none && own.output_transform) {
    output_transform =
        register_module("output_transform", torch::nn::Linear(options.d_model, embedded.d_model));
    output_norm = register_module("output_norm", nn::norm_of(residual));
  }
  if (own.head != Head::none)
    head = register_module("head", LabelHead(options, outputs_of(options, vocabulary)));
  nn::initialize(*this);
}

torch::Tensor EncoderOnlyImpl::input(torch::Tensor placed, const torch::Tensor& number) {
  if (segments) placed = placed + segments(number.clamp_max(options().encoder.segments - 1));
  if (embedding_norm) placed = embedding_norm(placed);
  const auto dropped = [&](const torch::Tensor& x) {
    return ops::dropout(x, options().dropout, is_training());
  };
  if (!embedding_projection) return dropped(in_stream_type(options(), placed));
  return in_stream_type(options(), applied(embedding_projection, dropped(runtime::in_compute_type(placed))));
}

torch::Tensor EncoderOnlyImpl::states(const Packed& text) {
  const auto& sequences = text.sequences;
  const ops::PackedRows rows(sequences);
  const auto mask = ops::AttentionMask::packed(sequences, sequences, /*causal=*/false);
  auto number = ends_before(text.rows);  // over all texts: less those before each text's first token
  const auto first = torch::arange(text.rows.size(0), text.rows.options()) - sequences.places;
  number = number - number.index_select(0, first);
  return encoder(input(positions->packed(embedding(text.rows), sequences), number), mask);
}

torch::Tensor EncoderOnlyImpl::states(const torch::Tensor& text) {
  return encoder(input(positions(embedding(text)), ends_before(text)), nn::padding_mask(text, kPad));
}

torch::Tensor EncoderOnlyImpl::for_output(const torch::Tensor& states) {
  if (head) return head(states);
  if (!output_transform) return states;
  const auto& o = options();
  const auto activation = o.encoder.embedding_size > 0 ? o.activation : nn::Activation::gelu;
  return runtime::in_compute_type(output_norm(nn::activated(applied(output_transform, states), activation)));
}

OutputProjection EncoderOnlyImpl::projection() const {
  if (head) return {head->output->weight, head->output->bias};
  return {output->weight, output_bias};
}

void add_encoder_only() {
  variants::Declaration declaration{.name = kEncoder,
                                    .about = "the paper's encoder alone, which reads a text as a whole"};
  each_option([&](const std::string& name, auto) {
    if (name != "decoder_layers" && name != "source_end") declaration.keys.push_back("model." + name);
  });
  for (const auto* key : kEncoderKeys) declaration.keys.emplace_back(key);
  using variants::Kind;
  for (const auto kind : {Kind::attention, Kind::feed_forward, Kind::norm, Kind::positions})
    declaration.keys.push_back(variants::key_of(kind));
  add_kind(std::move(declaration),
           [](const ModelOptions& options, const VocabularySizes& vocabulary, const variants::Values&) {
             return std::make_shared<EncoderOnlyImpl>(options, vocabulary);
           });
}

}  // namespace transformer::models
