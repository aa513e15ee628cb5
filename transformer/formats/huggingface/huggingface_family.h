// Architectures of Hugging Face's transformers that are decoders alone, in our options and names.
#pragma once

#include <torch/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "transformer/formats/weights.h"
#include "transformer/models/options.h"

namespace transformer::formats::huggingface {

enum class Family { llama, mistral, gemma, gpt2 };

struct AboutFamily {
  const char* name;            ///< model_type in config.json
  const char* model;           ///< the class that reads it
  bool mlp_bias = false;       ///< feed-forward layers may have biases
  bool norm_adds_one = false;  ///< a norm's weight is stored less 1
};

constexpr AboutFamily about(Family family) {
  switch (family) {
    case Family::llama:
      return {.name = "llama", .model = "LlamaForCausalLM", .mlp_bias = true};
    case Family::mistral:
      return {.name = "mistral", .model = "MistralForCausalLM"};
    case Family::gemma:
      return {.name = "gemma", .model = "GemmaForCausalLM", .norm_adds_one = true};
    case Family::gpt2:
      return {.name = "gpt2", .model = "GPT2LMHeadModel", .mlp_bias = true};
  }
  no_such_choice();
}

constexpr const char* name_of(Family family) {
  return about(family).name;
}

/// The options that all models of a family have in common. The sizes in it mean nothing.
models::ModelOptions structure_of(Family family);

/// A tensor of theirs in the place of one of ours.
struct TheirTensor {
  /// How theirs becomes ours.
  enum class Form {
    same,
    norm,        ///< plus 1, of families that store it so
    queries,     ///< rows of a head's halves become neighbours, which we turn
    keys,        ///< the same
    transposed,  ///< a Conv1D's weight
    third,       ///< transposed, then the third `part` of the rows: queries, keys, values
  };
  std::string name;
  Form form = Form::same;
  int part = 0;
};

/// Nothing for a parameter that they have not: the bias of logits.
std::optional<TheirTensor> their_tensor(Family family, std::string_view ours);

/// theirs: as their_tensor says → ours
torch::Tensor to_ours(const torch::Tensor& theirs, const TheirTensor& place, Family family,
                      const models::ModelOptions& options);

/// All weights of ours, biases of attention where the family has them, → theirs by name
Weights to_theirs(const Weights& ours, Family family, const models::ModelOptions& options);

}  // namespace transformer::formats::huggingface
