// An encoder without a target, which reads each text as a whole: BERT (Devlin et al. 2019), from the paper's
// own layers to its.
#pragma once

#include <torch/nn/modules/linear.h>

#include "transformer/models/stack_parts.h"

namespace transformer::models {

/// BERT's pooler, where the head is of whole texts, and the layer that gives labels.
class LabelHeadImpl : public torch::nn::Module {
 public:
  LabelHeadImpl(const ModelOptions& options, std::int64_t labels);

  /// Dropout(tanh(W x + b)), or Dropout(x) of words. states: (…, D) → (…, D)
  torch::Tensor forward(const torch::Tensor& states);

  torch::nn::Linear dense{nullptr};   ///< (D, D), of whole texts
  torch::nn::Linear output{nullptr};  ///< (K, D)

 private:
  double dropout_;
};
TORCH_MODULE(LabelHead);

/// The paper's encoder over embeddings and positions. Without a head (model.head) the states are multiplied
/// by the embedding's matrix (model.tie: all or target) or one of the output's own; model.output_transform
/// puts GELU(W x + b) and a norm in front. All of the section's options mean what they mean in the
/// encoder-decoder.
///
/// With model.embedding_size, E, the vectors of tokens, positions and segments and the embedding's norm have
/// that size, and W x + b makes D of them, behind dropout (ALBERT, Lan et al. 2020). Masked tokens then need
/// model.output_transform, whose result has the size E, and whose activation is model.activation.
class EncoderOnlyImpl : public Model, public TextEncoder {
 public:
  /// Weights are drawn from the CPU's default generator (nn/init.h). vocabulary.source: tokens; target: the
  /// same, or the labels of the head, beside which the options of the output projection say nothing. Throws
  /// InputError for masked tokens with embedding_size and without output_transform.
  EncoderOnlyImpl(const ModelOptions& options, const VocabularySizes& vocabulary);

  // As of models/model.h.
  torch::Device device() const override { return embedding->weight.device(); }
  TextEncoder* as_text_encoder() override { return this; }
  torch::Tensor states(const Packed& text) override;
  torch::Tensor states(const torch::Tensor& text) override;
  torch::Tensor for_output(const torch::Tensor& states) override;
  OutputProjection projection() const override;

  nn::Embedding embedding{nullptr}, output{nullptr};  ///< one module, or two; no output beside a head
  torch::Tensor output_bias;                          ///< (V), undefined without options.output_bias
  nn::PositionalEncoding positions{nullptr};
  nn::Embedding segments{nullptr};  ///< where there are any
  nn::Norm embedding_norm{nullptr};
  torch::nn::Linear embedding_projection{nullptr};  ///< (D, E), with embedding_size
  nn::Encoder encoder{nullptr};
  torch::nn::Linear output_transform{nullptr};  ///< (E, D)
  nn::Norm output_norm{nullptr};
  LabelHead head{nullptr};

 private:
  /// placed: embeddings and positions; number: the parts of the text that end before each token. → (…, D)
  torch::Tensor input(torch::Tensor placed, const torch::Tensor& number);
};
TORCH_MODULE(EncoderOnly);

/// Makes model.kind: encoder known.
void add_encoder_only();

}  // namespace transformer::models
