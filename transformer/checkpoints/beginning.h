// A model that begins from the weights of another one, of any kind: what fits is copied by name, and tables
// of a vocabulary by piece.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "transformer/checkpoints/tokenizers.h"
#include "transformer/models/model.h"
#include "transformer/train/options.h"

namespace transformer::checkpoints {

/// Rows of a table that two models have only partly in common.
struct CommonRows {
  std::string name = {};
  std::int64_t copied = 0;
  std::int64_t from_parts = 0;  ///< of pieces (train.new_pieces)
  std::int64_t drawn = 0;       ///< as in a new model
};

/// What a model took. Tensors are listed by name and shape: "output.weight [8000, 512]".
struct Beginning {
  std::filesystem::path directory;
  std::string checksum;                 ///< SHA-256 of the weights' file
  std::int64_t taken = 0;               ///< tensors that are the other model's, or rows of it
  std::vector<CommonRows> by_row = {};  ///< among them
  std::vector<std::string> fresh = {};  ///< of this model, and stay as they were drawn
  std::vector<std::string> unfit = {};  ///< among them: "head.weight [2, 512], there [5, 512]"
  std::vector<std::string> left = {};   ///< of the other model, which this one has not
};

/// Copies the weights of `path`, a model or run directory (its best), into the model:
/// * A tensor of the same name and shape, if those of its module all fit.
/// * One of the tables "embedding", "source_embedding", "target_embedding" and "output" in the place of one
///   that the other model lacks.
/// * A table of a vocabulary by piece, where the two vocabularies differ: the special tokens, and each piece
///   that both have. `new_pieces` says how the others begin.
/// * The first rows of learned positions, where one model has more of them.
///
/// Throws InputError for a directory that is missing or damaged, and where nothing fits.
Beginning begin_from(const std::filesystem::path& path, models::Model& model, const Tokenizers& tokenizers,
                     train::NewPieces new_pieces);

}  // namespace transformer::checkpoints
