// Tensors of Hugging Face's encoder-decoders by the names of ours.
#pragma once

#include <string>
#include <vector>

#include "transformer/formats/huggingface/seq2seq_config.h"

namespace transformer::formats::seq2seq {

/// Names of one matrix, the embedding: files have one of them or several.
const std::vector<const char*>& embedding_names(Family family);

/// Where they have a matrix of its own for the output.
inline constexpr const char* kOutputName = "lm_head.weight";

/// Their name of a parameter of a stack: encoder.… or decoder.…. gated: the feed-forward layers have gates.
std::string their_name(Family family, std::string ours, bool gated);

}  // namespace transformer::formats::seq2seq
