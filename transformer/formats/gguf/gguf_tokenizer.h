// A SentencePiece model as the keys of a GGUF file, in the form that llama.cpp calls "llama": pieces that are
// joined by their scores.
#pragma once

#include "transformer/data/tokenizer.h"
#include "transformer/formats/gguf/gguf_file.h"

namespace transformer::formats {

/// The keys tokenizer.ggml.…. begin: the id of what texts begin with. Throws InputError, naming the
/// tokenizer's file, for one that llama.cpp would not split as SentencePiece does.
void add_gguf_tokenizer(GgufFile& file, const data::Tokenizer& tokenizer, std::int32_t begin);

/// The tokenizer of these keys. `source` names their origin in messages. Throws InputError where they are
/// missing or do not fit each other.
data::Tokenizer gguf_tokenizer(const GgufFile& file, const std::string& source);

}  // namespace transformer::formats
