#include "transformer/models/model.h"

#include <fmt/format.h>

#include "transformer/base/error.h"

namespace transformer::models {

DecoderState::~DecoderState() = default;
SequenceToSequence::~SequenceToSequence() = default;
Model::~Model() = default;

torch::Device Model::device() const {
  return parameters().front().device();
}

SequenceToSequence& sequence_to_sequence(Model& model) {
  if (auto* found = model.as_sequence_to_sequence()) return *found;
  throw InputError("model.kind: expected a model that maps a source to a target, found one that does not");
}

}  // namespace transformer::models
