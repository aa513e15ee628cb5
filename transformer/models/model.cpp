#include "transformer/models/model.h"

#include <fmt/format.h>

#include "transformer/base/error.h"

namespace transformer::models {

DecoderState::~DecoderState() = default;
SequenceToSequence::~SequenceToSequence() = default;
LanguageModel::~LanguageModel() = default;
Model::~Model() = default;

void TensorState::select_hypotheses(const torch::Tensor& hypotheses) {
  for (auto& tensor : of_hypotheses) tensor = tensor.index_select(0, hypotheses);
}

void TensorState::select_sentences(const torch::Tensor& sentences) {
  for (auto& tensor : of_sentences) tensor = tensor.index_select(0, sentences);
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

}  // namespace transformer::models
