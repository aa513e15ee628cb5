// The tensors of Hugging Face's encoders in the places of ours.
#pragma once

#include <string>
#include <string_view>

#include "transformer/formats/huggingface/encoder_config.h"

namespace transformer::formats::encoders {

/// Where the encoder's tensors are below a head, such as "bert.embeddings.LayerNorm.weight"; a Model's have
/// no such front.
const char* front_of(Family family);

/// The name of theirs that stands for a parameter of ours, with the front. Several layers of an ALBERT have
/// the same.
std::string their_name(const Config& config, std::string_view ours);

}  // namespace transformer::formats::encoders
