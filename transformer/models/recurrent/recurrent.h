// The models that the paper measures itself against: recurrent networks from sequence to sequence, with
// attention and without (Sutskever et al. 2014, Bahdanau et al. 2015, Luong et al. 2015).
#pragma once

#include <vector>

#include "transformer/models/embeddings.h"
#include "transformer/models/model.h"
#include "transformer/models/recurrent/attention.h"
#include "transformer/models/recurrent/layer.h"
#include "transformer/variants/registry.h"

namespace transformer::models::recurrent {

/// The layers of the encoder read the source's embeddings x, each the states of the one below. The layers of
/// the decoder start from the last states of the encoder's: the top one from the top one's, and so on
/// downwards. Those without a partner start from zeros. A step t reads the embedding y_t of the token before:
///
///     none       s_t = cells(y_t, s_{t-1})                                      output s_t
///     additive   c_t = attention(s_{t-1}),  s_t = cells([y_t; c_t], s_{t-1})    output tanh(W [s_t; c_t])
///     product    s_t = cells(y_t, s_{t-1}),  c_t = attention(s_t)               output tanh(W [s_t; c_t])
///
/// The query of attention is the top layer's state. With input_feeding a product step reads [y_t; o_{t-1}],
/// where o_{t-1} is the output before it, zero at first. The output is multiplied by the matrix of the
/// target's embedding (model.tie) or by one of its own. Dropout falls on embeddings, between layers, and on
/// the output. All sizes are model.d_model, D. In two directions each has D / 2 units. Embeddings are scaled
/// by √D, as in the encoder-decoder. Recurrent layers compute in the type of their weights.
class RecurrentImpl : public Model, public SequenceToSequence {
 public:
  /// Weights are drawn from the CPU's default generator. Throws InputError, naming the key, for options that
  /// contradict each other.
  RecurrentImpl(const ModelOptions& options, const VocabularySizes& vocabulary,
                const variants::Values& values);

  // As of models/model.h.
  torch::Device device() const override { return embeddings_.output->weight.device(); }
  SequenceToSequence* as_sequence_to_sequence() override { return this; }
  torch::Tensor states(const Packed& source, const Packed& target) override;
  torch::Tensor states(const torch::Tensor& source, const torch::Tensor& target) override;
  OutputProjection projection() const override {
    return {embeddings_.output->weight, embeddings_.output_bias};
  }
  torch::Tensor logits(const torch::Tensor& states) override;
  std::unique_ptr<DecoderState> start(const torch::Tensor& source) override;
  torch::Tensor step(const torch::Tensor& ids, DecoderState& state) override;
  std::vector<AttentionLayer> source_attentions() const override;

 private:
  struct Encoded {
    Memory memory;
    std::vector<CellState> begin = {};  ///< of the decoder's layers
  };
  /// What a step leaves to the next one. (R, …)
  struct StepState {
    std::vector<CellState> cells;  ///< of the layers
    torch::Tensor output = {};     ///< (R, D), with input feeding
  };

  /// ids: (B, S)
  Encoded encode(const torch::Tensor& ids);
  /// ids: (B, T) → (B, T, D)
  torch::Tensor decode(const torch::Tensor& ids, const Encoded& source);
  torch::Tensor decode_at_once(torch::Tensor x, const Encoded& source);
  torch::Tensor decode_in_steps(const torch::Tensor& x, const Encoded& source);
  StepState first(const std::vector<CellState>& begin) const;
  /// x: (B, W, D), the embeddings that a step of W hypotheses a sentence reads. masks: what dropout makes of
  /// a one below each layer but the first, (R, D), or none. Changes `state`. weights: attention's, (B, W, S),
  /// where there is one. → (B, W, D)
  torch::Tensor advance(const torch::Tensor& x, const Memory& memory, StepState& state,
                        const std::vector<torch::Tensor>& masks, torch::Tensor& weights);
  torch::Tensor embed(nn::Embedding& embedding, const torch::Tensor& ids);
  torch::Tensor output_of(const torch::Tensor& state, const torch::Tensor& context);
  torch::Tensor dropped(const torch::Tensor& x) const;

  StepState to_steps(const TensorState& state) const;
  std::vector<torch::Tensor> to_tensors(const StepState& state) const;

  RecurrentOptions own_;
  Embeddings embeddings_;
  std::vector<Layer> encoder_, decoder_;
  SourceAttention attention_{nullptr};
  torch::nn::Linear readout_{nullptr};  // with attention
};
TORCH_MODULE(Recurrent);

/// Makes model.kind: recurrent known.
void add_recurrent();

}  // namespace transformer::models::recurrent
