// SentencePiece models whose own ids are those of a vocabulary: one file where there were two.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transformer/base/choices.h"
#include "transformer/data/model_message.h"

namespace transformer::data {

/// The use for which a renumbered model must equal the original model with its vocabulary.
enum class ModelUse { encode, decode };

/// A piece without the mark for a blank in front.
std::string_view without_blank(std::string_view piece);

/// Whether a piece is a language code such as ">>fra<<".
bool is_language_code(std::string_view piece);

/// Whether a piece stands for a gap that T5 fills: "<extra_id_0>".
bool is_sentinel(std::string_view piece);

/// A SentencePiece model (the content of its file) that splits text as `model` does. The id of a piece is its
/// place in `pieces`. The special ones are where `special` says, first of all if it says nothing
/// (special_tokens.h).
///
/// `pieces` may lack some of the model's. Text that the model would split into one of these, which makes it
/// unknown, is split differently here. Pieces that the model lacks never result from splitting, but can be
/// decoded. For ModelUse::encode a language code or a sentinel is one piece, together with the blank in front
/// of it.
///
/// Throws InputError, which begins with `name`, if no SentencePiece model can do this:
/// * The model is neither a unigram model nor byte-pair encoding.
/// * `pieces` lacks a piece of byte-pair encoding that leads to others (ModelUse::encode).
/// * `pieces` lacks a piece for a byte.
std::string renumbered_model(std::string_view model, const std::vector<std::string>& pieces, ModelUse use,
                             const std::string& name, const SpecialPlaces& special = {});

/// Whether a program that knows pieces and scores alone, as those for T5 do, splits as this SentencePiece
/// model does. It is a unigram model then, puts a blank in front of a text, and has no bytes among its
/// pieces, and of users' own only sentinels. model: the content of its file.
bool is_plain_unigram(std::string_view model);

/// Whether it is byte-pair encoding.
bool is_byte_pairs(std::string_view model);

/// A SentencePiece model's pieces by its own ids, and which of these are special.
struct OwnNumbering {
  std::vector<std::string> pieces;
  std::optional<std::int64_t> unknown, pad, begin, end;
};

/// model: the content of its file. Throws InputError, which begins with `name`, for other content.
OwnNumbering own_numbering(std::string_view model, const std::string& name);

}  // namespace transformer::data
