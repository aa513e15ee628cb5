// The fields of a SentencePiece model's file that this library reads itself.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transformer/base/protobuf.h"
#include "transformer/base/special_tokens.h"

namespace transformer::data {

// Fields of SentencePiece's messages.
struct ModelField {
  static constexpr std::uint32_t pieces = 1, trainer = 2, normalizer = 3, self_test = 4;
};
struct PieceField {
  static constexpr std::uint32_t text = 1, score = 2, type = 3;
};
struct TrainerField {
  static constexpr std::uint32_t model_type = 3, vocabulary = 4, blank_behind = 24, unknown_id = 40,
                                 begin_id = 41, end_id = 42, pad_id = 43, unknown = 45, begin = 46, end = 47,
                                 pad = 48;
};
struct NormalizerField {
  static constexpr std::uint32_t added_blank = 3, marked_blanks = 5;
};

/// Types of a model.
inline constexpr std::uint64_t kUnigram = 1, kBytePairs = 2, kWords = 3, kCharacters = 4;

/// Types of a piece.
struct PieceType {
  static constexpr std::uint64_t normal = 1, unknown = 2, control = 3, user = 4, unused = 5, byte = 6;
};

/// Where the special pieces are. No begin: the model has none.
struct SpecialPlaces {
  std::int64_t unknown = kUnknown, pad = kPad, end = kEos;
  std::optional<std::int64_t> begin = kBos;
};

/// Adds them to the message of the trainer. text_of: of a piece's id
void append_special(std::string& trainer, const SpecialPlaces& special,
                    const std::function<std::string_view(std::int64_t)>& text_of);

struct ModelPiece {
  std::string_view text;
  float score = 0;
  std::uint64_t type = PieceType::normal;
};

/// Throws std::runtime_error for a damaged message.
std::vector<ProtoField> fields_of(std::string_view message);

ModelPiece model_piece_of(std::string_view message);

/// Whether the text has one character of UTF-8.
bool is_one_character(std::string_view text);

/// The byte that a piece stands for, such as "<0x41>"; nothing of any other text.
std::optional<unsigned char> byte_of_piece(std::string_view text);

/// Whether a character begins with this byte.
constexpr bool begins_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

}  // namespace transformer::data
