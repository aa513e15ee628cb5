// Tensors of Hugging Face's encoder-decoders by the names of ours: on the way in and on the way out.
#pragma once

#include <string>
#include <vector>

#include "transformer/formats/huggingface/seq2seq_config.h"

namespace transformer::formats::seq2seq {

/// Names of one matrix, the embedding: files have one of them or several. The first is written.
const std::vector<const char*>& embedding_names(Family family);

/// Where they have a matrix of its own for the output.
inline constexpr const char* kOutputName = "lm_head.weight";

/// The bias of logits, (1, V), of the families that have one.
inline constexpr const char* kLogitsBias = "final_logits_bias";

/// fairseq counts positions from 2, behind that of padding: so many rows of a table are never read.
inline constexpr std::int64_t kFirstPosition = 2;

/// Their name of a parameter of ours that has one of its own: of a stack, or a table of positions. gated:
/// the feed-forward layers have gates.
std::string their_name(Family family, std::string ours, bool gated);

}  // namespace transformer::formats::seq2seq
