// The vocabularies of a Marian model in this project's numbering, and the way there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "transformer/checkpoints/tokenizers.h"
#include "transformer/formats/marian/marian_config.h"

namespace transformer::formats {

/// Our ids of one vocabulary: unknown, padding, begin, end, then the others in their order.
struct MarianNumbering {
  std::vector<std::int64_t> theirs;  ///< the id of each of ours
  std::vector<std::string> pieces;   ///< of each of ours
  bool begin_is_copy = false;        ///< our begin has no id of its own there, but doubles another's row

  std::int64_t size() const { return static_cast<std::int64_t>(theirs.size()); }
};

/// A model that starts its output with an id that means something else too, mostly padding, gets a begin of
/// its own. One that starts with an id for that alone keeps it.
struct MarianVocabularies {
  MarianNumbering source, target;      ///< equal where the model has one vocabulary
  checkpoints::Tokenizers tokenizers;  ///< on the files source.spm and target.spm
};

/// Throws InputError, naming the file, when a vocabulary does not number all rows of the embeddings once, or
/// its special tokens are not where config.json has them.
MarianVocabularies read_marian_vocabularies(const MarianFiles& files, const MarianConfig& config,
                                            const MarianTokenizerConfig& tokenizer);

}  // namespace transformer::formats
