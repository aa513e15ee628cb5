// Models of ours as Hugging Face's Marian models.
#pragma once

#include <filesystem>

#include "transformer/checkpoints/model_directory.h"

namespace transformer::formats {

/// Writes a model into an empty folder, such that MarianMTModel.from_pretrained and
/// MarianTokenizer.from_pretrained of transformers load it, and import_marian too: with the same ids and the
/// same logits. What Marian does otherwise is expressed exactly:
/// - heads of fewer than d_model / heads numbers are padded with zeros, absent biases are zeros;
/// - the paper's interleaved sinusoids become Marian's, all sines before all cosines, by reordering the
///   model's dimension in all weights;
/// - positions that are no such sinusoids are stored as weights, which transformers loads as they are.
///
/// Their search differs from ours: an output's limit does not depend on its source, and its length penalty is
/// length^alpha. Their tokenizer takes text such as "</s>" for the token, and treats ">>de<<" in front of a
/// text as one piece.
///
/// Throws InputError naming the key for pre-norm, wider heads, and another norm_epsilon than 1e-5.
void export_marian(const checkpoints::LoadedModel& model, const std::filesystem::path& folder);

}  // namespace transformer::formats
