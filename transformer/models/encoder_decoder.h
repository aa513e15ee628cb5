// Section 3: the complete model.
#pragma once

#include "transformer/models/stack_parts.h"

namespace transformer::models {

/// What the encoder leaves to the decoder.
struct Encoded {
  torch::Tensor states;  ///< (B, S, D)
  torch::Tensor mask;    ///< (B, 1, 1, S), true at tokens that may be attended to
};

class EncoderDecoderImpl : public Model, public SequenceToSequence {
 public:
  /// Weights are drawn from the CPU's default generator (nn/init.h).
  EncoderDecoderImpl(const ModelOptions& options, const VocabularySizes& vocabulary);

  /// ids: (B, S), rows end in the end token and are padded behind it.
  Encoded encode(const torch::Tensor& ids);

  /// The decoder's output for whole targets. ids: (B, T), rows start with the begin token. → (B, T, D)
  torch::Tensor decode(const torch::Tensor& ids, const Encoded& source);

  /// The same without padding, for training: the sources' ids, each with its end, then the targets', each
  /// with its begin. → (N, D) each
  Packed encode(const Packed& ids);
  Packed decode(const Packed& ids, const Packed& source);

  /// x: (…, D) → logits over the target vocabulary (…, V)
  torch::Tensor logits(const torch::Tensor& x) override;

  /// encode, decode and logits in one. source: (B, S), target: (B, T) → (B, T, V)
  torch::Tensor forward(const torch::Tensor& source, const torch::Tensor& target);

  /// Starts step-by-step decoding with one hypothesis a sentence.
  nn::DecoderCache start(const Encoded& source);

  /// ids: (B, W), the last token of each sentence's W hypotheses → logits of the next (B, W, V)
  torch::Tensor step(const torch::Tensor& ids, nn::DecoderCache& cache);

  /// The same two for a beam of `width` hypotheses a sentence, each of at most `longest` tokens with the
  /// begin token (nn/decoder.h). Throws InputError when learned positions are too few.
  nn::BeamCache start_beam(const Encoded& source, std::int64_t width, std::int64_t longest);
  torch::Tensor step(const torch::Tensor& ids, nn::BeamCache& cache);
  /// Makes room for that many positions, or more. step() does where it lacks some.
  void reserve(nn::BeamCache& cache, std::int64_t positions);

  /// The matrix of the output projection, (V, D), which may be the embedding's.
  const torch::Tensor& output_weight() const;

  // As of models/model.h.
  torch::Device device() const override { return output_weight().device(); }
  SequenceToSequence* as_sequence_to_sequence() override { return this; }
  torch::Tensor states(const Packed& source, const Packed& target) override;
  torch::Tensor states(const torch::Tensor& source, const torch::Tensor& target) override;
  OutputProjection projection() const override { return {output_weight(), output_bias}; }
  std::unique_ptr<DecoderState> start(const torch::Tensor& source) override;
  torch::Tensor step(const torch::Tensor& ids, DecoderState& state) override;
  std::vector<AttentionLayer> source_attentions() const override;

  nn::Embedding source_embedding{nullptr}, target_embedding{nullptr}, output{nullptr};
  torch::Tensor output_bias;  ///< (V), undefined without options.output_bias
  nn::PositionalEncoding source_positions{nullptr}, target_positions{nullptr};
  nn::Norm source_embedding_norm{nullptr}, target_embedding_norm{nullptr};  ///< of model.embedding_norm
  nn::Encoder encoder{nullptr};
  nn::Decoder decoder{nullptr};

 private:
  StackInput source_input(), target_input();
  void add_vectors(nn::BeamCache& cache);
};
TORCH_MODULE(EncoderDecoder);

/// The same model where it is an encoder-decoder, else null.
EncoderDecoder as_encoder_decoder(const AnyModel& model);

}  // namespace transformer::models
