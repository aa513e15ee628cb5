#include "transformer/formats/marian/marian_weights.h"

#include "transformer/formats/marian/marian_names.h"
#include "transformer/nn/positional_encoding.h"

namespace transformer::formats {
namespace {

/// The axis of a parameter along which the model's dimension runs, or -1.
std::int64_t model_axis(const std::string& name, const torch::Tensor& tensor) {
  const auto holds = [&](const char* part) { return name.find(part) != std::string::npos; };
  const bool matrix = tensor.dim() == 2;
  if (name == "output_bias") return -1;
  if (!is_layer_parameter(name)) return 1;  // embeddings
  if (holds(".norm.")) return 0;
  if (holds("attention.output.") || holds(".outer.")) return 0;  // what they give
  return matrix ? 1 : -1;                                        // what the others take
}

}  // namespace

void use_halves(Weights& weights, models::ModelOptions& options) {
  const auto sinusoids = nn::about(options.positions).sinusoids;
  if (!sinusoids || !sinusoids->interleaved) return;
  const auto half = options.d_model / 2;
  const auto order = torch::arange(options.d_model).view({half, 2}).t().flatten();  // 0, 2, …, 1, 3, …
  for (auto& [name, tensor] : weights) {
    const auto axis = model_axis(name, tensor);
    if (axis >= 0) tensor = tensor.index_select(axis, order);
  }
  options.positions = nn::Positions::halves;
}

Weights marian_weights(const Weights& weights, const models::ModelOptions& options,
                       const models::VocabularySizes& vocabulary, std::int64_t positions) {
  const std::map<std::string, std::string> names{{"embedding.weight", kMarianShared},
                                                 {"source_embedding.weight", kMarianSource},
                                                 {"target_embedding.weight", kMarianTarget},
                                                 {"output.weight", kMarianOutput},
                                                 {"source_positions.weight", kMarianSourcePositions},
                                                 {"target_positions.weight", kMarianTargetPositions}};
  Weights theirs;
  for (const auto& [name, tensor] : weights) {
    if (name == "output_bias") continue;
    theirs.emplace(is_layer_parameter(name) ? marian_layer_name(name) : names.at(name), tensor.contiguous());
  }
  const auto bias = weights.find("output_bias");
  theirs.emplace(kMarianBias,
                 bias == weights.end() ? torch::zeros({1, vocabulary.target}) : bias->second.unsqueeze(0));
  const auto sinusoids = nn::about(options.positions).sinusoids;
  if (sinusoids && sinusoids->reach_the_end)  // no frequencies of theirs
    for (const auto* name : {kMarianSourcePositions, kMarianTargetPositions})
      theirs.emplace(name, nn::sinusoids(options.positions, positions, options.d_model));
  return theirs;
}

}  // namespace transformer::formats
