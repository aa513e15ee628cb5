// The weights of an encoder-decoder of ours as Hugging Face's families have them.
#pragma once

#include "transformer/formats/huggingface/seq2seq_config.h"
#include "transformer/formats/huggingface/seq2seq_tokens.h"
#include "transformer/formats/weights.h"

namespace transformer::formats::seq2seq {

/// Positions that a family computes and no file holds, M2M-100's: (rows, D)
torch::Tensor unstored_positions(std::int64_t rows, std::int64_t d_model);

/// Our weights by their names. What the options leave open is converted exactly:
/// * Heads get zeros up to the size of theirs, and queries the factor by which the families divide scores.
/// * Biases that are absent become zeros, and those that T5 has not must be zeros.
/// * T5's embedding takes the factor of model.scale_embedding. A tied output has it, too, so the last states
///   are divided by it (scale_decoder_outputs).
/// * BART's positions are a table, also of sinusoids, behind two rows that nobody reads.
///
/// config: family, model and vocabulary; `model` becomes theirs, and scaled_output is set. positions: rows of
/// sinusoids. Throws InputError, naming the key, for numbers that the family cannot have.
Weights their_weights(Weights ours, const TheirTokens& tokens, std::int64_t positions, Config& config);

}  // namespace transformer::formats::seq2seq
