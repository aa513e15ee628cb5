// A decoder without a source, as a language model: GPT (Radford et al. 2018), from the paper's own layers to
// today's.
#pragma once

#include "transformer/models/stack_parts.h"

namespace transformer::models {

/// The paper's decoder without cross-attention, over embeddings and positions; the states are multiplied by
/// the embedding's matrix (model.tie: all or target) or one of the output's own. All of the section's options
/// mean what they mean in the encoder-decoder.
class DecoderOnlyImpl : public Model, public LanguageModel {
 public:
  /// Weights are drawn from the CPU's default generator (nn/init.h). vocabulary.target counts.
  DecoderOnlyImpl(const ModelOptions& options, const VocabularySizes& vocabulary);

  // As of models/model.h.
  torch::Device device() const override { return embedding->weight.device(); }
  LanguageModel* as_language_model() override { return this; }
  torch::Tensor states(const Packed& text) override;
  torch::Tensor states(const torch::Tensor& text) override;
  OutputProjection projection() const override { return {output->weight, output_bias}; }
  torch::Tensor logits(const torch::Tensor& states) override { return output->logits(states, output_bias); }
  /// Throws InputError when learned positions are too few, as all others do.
  std::unique_ptr<DecoderState> start(const torch::Tensor& text) override;
  torch::Tensor step(const torch::Tensor& ids, DecoderState& state) override;

  nn::Embedding embedding{nullptr}, output{nullptr};  ///< one module, or two
  torch::Tensor output_bias;                          ///< (V), undefined without options.output_bias
  nn::PositionalEncoding positions{nullptr};
  nn::Norm norm{nullptr};  ///< of model.embedding_norm
  nn::Decoder decoder{nullptr};

 private:
  StackInput input() { return {options(), embedding, positions, norm, is_training()}; }
};
TORCH_MODULE(DecoderOnly);

/// Makes model.kind: decoder known.
void add_decoder_only();

}  // namespace transformer::models
