// Where Hugging Face's MarianMTModel keeps what our model has.
#pragma once

#include <string>
#include <string_view>

namespace transformer::formats {

inline constexpr const char* kMarianShared = "model.shared.weight";
inline constexpr const char* kMarianSource = "model.encoder.embed_tokens.weight";
inline constexpr const char* kMarianTarget = "model.decoder.embed_tokens.weight";
inline constexpr const char* kMarianOutput = "lm_head.weight";
inline constexpr const char* kMarianBias = "final_logits_bias";
inline constexpr const char* kMarianSourcePositions = "model.encoder.embed_positions.weight";
inline constexpr const char* kMarianTargetPositions = "model.decoder.embed_positions.weight";

/// Whether a parameter of ours belongs to a layer, and not to embeddings, positions or the output.
bool is_layer_parameter(std::string_view ours);

/// Their name of a layer's parameter.
std::string marian_layer_name(std::string ours);

}  // namespace transformer::formats
