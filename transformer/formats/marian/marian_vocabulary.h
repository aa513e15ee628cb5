// The vocabularies of a Marian model in this project's numbering, and the way there.
#pragma once

#include "transformer/checkpoints/tokenizers.h"
#include "transformer/formats/marian/marian_config.h"
#include "transformer/formats/numbering.h"

namespace transformer::formats {

/// A model that starts its output with an id that means something else too, mostly padding, gets a begin of
/// its own. One that starts with an id for that alone keeps it.
struct MarianVocabularies {
  PieceNumbering source, target;       ///< equal where the model has one vocabulary
  checkpoints::Tokenizers tokenizers;  ///< on the files source.spm and target.spm
};

/// Throws InputError, naming the file, when a vocabulary does not number all rows of the embeddings once, or
/// its special tokens are not where config.json has them.
MarianVocabularies read_marian_vocabularies(const MarianFiles& files, const MarianConfig& config,
                                            const MarianTokenizerConfig& tokenizer);

}  // namespace transformer::formats
