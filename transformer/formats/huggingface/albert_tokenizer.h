// The tokenizer of ALBERT in a folder of Hugging Face's.
#pragma once

#include <filesystem>

#include "transformer/data/unigram_model.h"
#include "transformer/formats/json_object.h"

namespace transformer::formats::encoders {

/// Whether tokenizer.json is of this kind: a Unigram.
bool is_unigram(const JsonObject& file);

/// Pieces by their ids, and a map of characters that does what AlbertTokenizer does in front of them
/// (data/albert_rules.h). about: tokenizer_config.json, whose do_lower_case and keep_accents count.
///
/// * tokenizer.json: scores are those of the file, as transformers has them.
/// * spiece.model: that of a folder without tokenizer.json. Numbers are split from commas, and users' own
///   pieces are ordinary ones, as in ALBERT's training. transformers 5 does neither: it takes "9," for a
///   piece, and begins a word behind each of users' pieces.
///
/// Throws InputError, naming file and key, for damaged content and for other rules.
data::UnigramModel read_albert_tokenizer(const JsonObject& file, const JsonObject& about);
data::UnigramModel read_albert_model(const std::filesystem::path& file, const JsonObject& about);

}  // namespace transformer::formats::encoders
