// The tensors of Hugging Face's encoders in the places of ours.
#pragma once

#include <string>
#include <string_view>

#include "transformer/formats/huggingface/encoder_config.h"

namespace transformer::formats::encoders {

/// Where the encoder's tensors are below a head, such as "bert.embeddings.LayerNorm.weight"; a Model's have
/// no such front.
const char* front_of(Family family);

/// The name of theirs that stands for a parameter of ours, with the front. head: of the model.
std::string their_name(Family family, models::Head head, std::string_view ours);

}  // namespace transformer::formats::encoders
