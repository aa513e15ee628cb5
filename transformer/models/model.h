// A model of any kind, as the rest of this project knows it: a module, the options and vocabularies that it
// was made from, and its abilities. Code asks for the ability that it needs, and refuses a model without it
// by the name of its kind.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <concepts>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "transformer/models/options.h"
#include "transformer/ops/sequences.h"

namespace transformer::models {

/// Packed sequences of ids (N) or of states (N, D).
struct Packed {
  torch::Tensor rows;
  ops::Sequences sequences;
};

/// What a decoder remembers of its hypotheses between two steps. Only the model that made it looks into it.
class DecoderState {
 public:
  virtual ~DecoderState();

  virtual std::int64_t sentences() const = 0;  ///< B
  virtual std::int64_t length() const = 0;     ///< steps that were made

  /// hypotheses: (B · W), sentence by sentence, the rows of this state that the next step's rows go on from.
  virtual void select_hypotheses(const torch::Tensor& hypotheses) = 0;
  /// Only these sentences stay, by their places. select_hypotheses has named the rows that stay before, so
  /// this is for what belongs to a sentence as a whole.
  virtual void select_sentences(const torch::Tensor& sentences) = 0;
};

/// A state whose tensors have a row for each sentence, or one for each hypothesis: what most decoders need.
/// Exports carry these tensors from step to step (formats/torchscript).
class TensorState : public DecoderState {
 public:
  /// of_sentences: at least one, (B, …) each; of_hypotheses: (B · W, …) each.
  TensorState(std::vector<torch::Tensor> of_sentences, std::vector<torch::Tensor> of_hypotheses)
      : of_sentences(std::move(of_sentences)), of_hypotheses(std::move(of_hypotheses)) {}

  std::int64_t sentences() const override { return of_sentences.front().size(0); }
  std::int64_t length() const override { return steps; }
  void select_hypotheses(const torch::Tensor& hypotheses) override;
  void select_sentences(const torch::Tensor& sentences) override;

  std::vector<torch::Tensor> of_sentences, of_hypotheses;
  std::int64_t steps = 0;  ///< to be counted by who makes them
};

/// The matrix by which states become logits.
struct OutputProjection {
  torch::Tensor weight;  ///< (V, D)
  torch::Tensor bias;    ///< (V), or undefined
};

/// A module that attends to the source.
struct AttentionLayer {
  const torch::nn::Module* module;
  std::int64_t heads;
};

/// The ability to map a source to a target, token by token. Sources end in kEos; targets begin with kBos.
class SequenceToSequence {
 public:
  virtual ~SequenceToSequence();

  /// The states that predict what follows each token of the targets, without padding, for training. → (N, D)
  virtual torch::Tensor states(const Packed& source, const Packed& target) = 0;

  /// The same of rows that are padded behind their ends. source: (B, S), target: (B, T) → (B, T, D)
  virtual torch::Tensor states(const torch::Tensor& source, const torch::Tensor& target) = 0;

  virtual OutputProjection projection() const = 0;

  /// states: (…, D) → (…, V)
  virtual torch::Tensor logits(const torch::Tensor& states) = 0;

  /// Begins with one hypothesis a sentence. source: (B, S)
  virtual std::unique_ptr<DecoderState> start(const torch::Tensor& source) = 0;

  /// ids: (B, W), the last token of each sentence's W hypotheses → logits of the next (B, W, V)
  virtual torch::Tensor step(const torch::Tensor& ids, DecoderState& state) = 0;

  /// The modules that attend to the source, by layer, which leave their weights in an nn::AttentionRecord.
  /// Layers that do not attend to it are left out.
  virtual std::vector<AttentionLayer> source_attentions() const { return {}; }
};

/// The ability to say what follows each token of a text, and to continue it. Texts begin with kBos, or with
/// what comes before them (data/blocks.h).
class LanguageModel {
 public:
  virtual ~LanguageModel();

  /// The states that predict what follows each token, without padding. → (N, D)
  virtual torch::Tensor states(const Packed& text) = 0;

  /// The same of rows that are padded behind their ends. text: (B, T) → (B, T, D)
  virtual torch::Tensor states(const torch::Tensor& text) = 0;

  virtual OutputProjection projection() const = 0;

  /// states: (…, D) → (…, V)
  virtual torch::Tensor logits(const torch::Tensor& states) = 0;

  /// Reads what the texts begin with, one hypothesis each. text: (B, T), T may be 0
  virtual std::unique_ptr<DecoderState> start(const torch::Tensor& text);

  /// ids: (B, W), the next token of each text's W hypotheses → logits of what follows (B, W, V).
  /// These two compute each text from its begin again, by states(). A model that can do better does.
  virtual torch::Tensor step(const torch::Tensor& ids, DecoderState& state);
};

/// The ability to give each token of a text a state that has read all of the text, and to predict from such
/// states: the tokens that masks hide, or labels. Texts begin with kBos and end in kEos.
class TextEncoder {
 public:
  virtual ~TextEncoder();

  /// Without padding. → (N, D)
  virtual torch::Tensor states(const Packed& text) = 0;

  /// The same of rows that are padded behind their ends. text: (B, T) → (B, T, D)
  virtual torch::Tensor states(const torch::Tensor& text) = 0;

  /// What the projection multiplies. states: (…, D) → (…, D)
  virtual torch::Tensor for_output(const torch::Tensor& states) { return states; }

  virtual OutputProjection projection() const = 0;

  /// states: (…, D) → (…, V), or of labels
  torch::Tensor logits(const torch::Tensor& states);
};

class Model : public torch::nn::Module {
 public:
  Model(const ModelOptions& options, const VocabularySizes& vocabulary)
      : options_(options), vocabulary_(vocabulary) {}
  ~Model() override;

  const ModelOptions& options() const { return options_; }
  const VocabularySizes& vocabulary() const { return vocabulary_; }
  virtual torch::Device device() const;  ///< of its parameters, which share one

  /// Null where the model is none.
  virtual SequenceToSequence* as_sequence_to_sequence() { return nullptr; }
  virtual LanguageModel* as_language_model() { return nullptr; }
  virtual TextEncoder* as_text_encoder() { return nullptr; }

 private:
  ModelOptions options_;
  VocabularySizes vocabulary_;
};

/// Holds a model of any kind, as torch::nn's holders hold theirs; one of them becomes it.
class AnyModel : public torch::nn::ModuleHolder<Model> {
 public:
  AnyModel(std::nullptr_t) : torch::nn::ModuleHolder<Model>(nullptr) {}
  AnyModel(std::shared_ptr<Model> model) : torch::nn::ModuleHolder<Model>(std::move(model)) {}
  template <std::derived_from<Model> Impl>
  AnyModel(const torch::nn::ModuleHolder<Impl>& holder)
      : torch::nn::ModuleHolder<Model>(std::shared_ptr<Model>(holder.ptr())) {}
};

/// They throw InputError, naming model.kind, for a model that lacks the ability.
SequenceToSequence& sequence_to_sequence(Model& model);
LanguageModel& language_model(Model& model);
TextEncoder& text_encoder(Model& model);

}  // namespace transformer::models
