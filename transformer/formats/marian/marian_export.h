// Models of ours as Hugging Face's Marian models.
#pragma once

#include <filesystem>

#include "transformer/checkpoints/model_directory.h"

namespace transformer::formats {

/// Writes a model into an empty folder. MarianMTModel.from_pretrained and MarianTokenizer.from_pretrained of
/// transformers load it, and so does import_marian, with the same ids and the same logits. Differences
/// between the models are converted exactly:
/// * Heads of fewer than d_model / heads numbers are padded with zeros. Absent biases become zeros.
/// * The paper's interleaved sinusoids become Marian's, all sines before all cosines. For this the model's
///   dimension is reordered in all weights.
/// * Positions other than these sinusoids are stored as weights, which transformers loads as they are.
///
/// Their search differs from ours: the limit of an output does not depend on its source, and the length
/// penalty is length^alpha. Their tokenizer reads text such as "</s>" as the token, and ">>de<<" in front of
/// a text as one piece.
///
/// Throws InputError, naming the key, for pre-norm, wider heads, and another norm_epsilon than 1e-5.
void export_marian(const checkpoints::LoadedModel& model, const std::filesystem::path& folder);

}  // namespace transformer::formats
