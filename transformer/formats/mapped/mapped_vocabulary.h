// The vocabularies that a mapping names.
#pragma once

#include <filesystem>

#include "transformer/checkpoints/tokenizers.h"
#include "transformer/formats/mapped/mapping_file.h"

namespace transformer::formats {

struct MappedVocabularies {
  TokenNumbering source, target;  ///< equal where there is one
  std::int64_t source_rows = 0, target_rows = 0;
  checkpoints::Tokenizers tokenizers;
};

/// folder: of the model, where the files are. Throws InputError for a file that is missing or damaged, and
/// for a special token that it lacks. Texts of the target need a begin and an end; those of the source need
/// an end unless model.source_end is false.
MappedVocabularies read_mapped_vocabularies(const MappingFile& mapping, const std::filesystem::path& folder);

}  // namespace transformer::formats
