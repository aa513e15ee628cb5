#include "transformer/models/model.h"

#include <fmt/format.h>

#include "transformer/base/error.h"
#include "transformer/ops/linear.h"

namespace transformer::models {

DecoderState::~DecoderState() = default;
SequenceToSequence::~SequenceToSequence() = default;
LanguageModel::~LanguageModel() = default;
TextEncoder::~TextEncoder() = default;
Model::~Model() = default;

void TensorState::select_hypotheses(const torch::Tensor& hypotheses) {
  for (auto& tensor : of_hypotheses) tensor = tensor.index_select(0, hypotheses);
}

void TensorState::select_sentences(const torch::Tensor& sentences) {
  for (auto& tensor : of_sentences) tensor = tensor.index_select(0, sentences);
}

std::unique_ptr<DecoderState> LanguageModel::start(const torch::Tensor& text) {
  // The first tensor only counts the texts.
  auto state = std::make_unique<TensorState>(std::vector{text.new_zeros({text.size(0)})}, std::vector{text});
  state->steps = text.size(1);
  return state;
}

torch::Tensor LanguageModel::step(const torch::Tensor& ids, DecoderState& state) {
  auto& own = dynamic_cast<TensorState&>(state);
  auto& texts = own.of_hypotheses.front();
  texts = torch::cat({texts, ids.reshape({-1, 1})}, 1);
  ++own.steps;
  const auto last = states(texts).select(1, -1);  // (B · W, D)
  return logits(last).view({ids.size(0), ids.size(1), -1});
}

torch::Tensor TextEncoder::logits(const torch::Tensor& states) {
  const auto [weight, bias] = projection();
  return ops::linear(for_output(states), weight, bias);
}

namespace {

InputError lacks(const Model& model, const char* ability) {
  return InputError(fmt::format("model.kind: expected a model that {}, found '{}', which does not", ability,
                                kind_of(model.options())));
}

}  // namespace

torch::Device Model::device() const {
  return parameters().front().device();
}

SequenceToSequence& sequence_to_sequence(Model& model) {
  if (auto* found = model.as_sequence_to_sequence()) return *found;
  throw lacks(model, "maps a source to a target");
}

LanguageModel& language_model(Model& model) {
  if (auto* found = model.as_language_model()) return *found;
  throw lacks(model, "continues a text");
}

TextEncoder& text_encoder(Model& model) {
  if (auto* found = model.as_text_encoder()) return *found;
  throw lacks(model, "reads a text as a whole");
}

}  // namespace transformer::models
