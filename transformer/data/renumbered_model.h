// SentencePiece models whose own ids are those of a vocabulary: one file where there were two.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transformer/base/choices.h"

namespace transformer::data {

/// What a renumbered model is to do exactly as the original with its vocabulary does.
enum class ModelUse { encode, decode };

/// Whether a piece is a language code such as ">>fra<<".
bool is_language_code(std::string_view piece);

/// A SentencePiece model (the content of its file) that cuts text as `model` does, where the id of a piece is
/// its place in `pieces`, of which the first four are the special ones (special_tokens.h).
///
/// `pieces` may lack some of the model's. A text that the model would cut into one of these, which then is
/// unknown, is cut into others here. Pieces that the model has not are no places to cut at, but can be
/// decoded; for ModelUse::encode a language code is one piece with the blank in front of it.
///
/// Throws InputError, which begins with `name`, where no SentencePiece model can do it: unless the model is a
/// unigram model or byte-pair encoding; where `pieces` lacks a piece of byte-pair encoding that leads to
/// others (ModelUse::encode), or one of the pieces of bytes.
std::string renumbered_model(std::string_view model, const std::vector<std::string>& pieces, ModelUse use,
                             const std::string& name);

}  // namespace transformer::data
