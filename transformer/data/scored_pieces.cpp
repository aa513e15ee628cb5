#include "transformer/data/scored_pieces.h"

#include <array>
#include <vector>

#include "transformer/base/blank_mark.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/model_message.h"

namespace transformer::data {
namespace {

std::string piece_of(const std::string& text, float score, std::uint64_t type) {
  std::string piece;
  append_proto_bytes(piece, PieceField::text, text);
  append_proto_float(piece, PieceField::score, score);
  append_proto_integer(piece, PieceField::type, type);
  return piece;
}

std::string model_of(std::span<const ScoredPiece> pieces, std::uint64_t type, bool blank_in_front = true) {
  constexpr std::uint32_t kByteFallback = 35;
  const std::array<const char*, 4> special{"<unk>", "<pad>", "<s>", "</s>"};
  std::string model, trainer, normalizer;
  for (std::size_t id = 0; id < special.size(); ++id)
    append_proto_bytes(model, ModelField::pieces,
                       piece_of(special.at(id), 0, id == kUnknown ? PieceType::unknown : PieceType::control));
  for (const auto& [text, score] : pieces)
    append_proto_bytes(model, ModelField::pieces,
                       piece_of(text, score, byte_of_piece(text) ? PieceType::byte : PieceType::normal));
  append_proto_integer(trainer, TrainerField::model_type, type);
  append_proto_integer(trainer, TrainerField::vocabulary, special.size() + pieces.size());
  append_proto_integer(trainer, kByteFallback, type == kBytePairs ? 1 : 0);
  append_proto_integer(trainer, TrainerField::unknown_id, kUnknown);
  append_proto_integer(trainer, TrainerField::begin_id, kBos);
  append_proto_integer(trainer, TrainerField::end_id, kEos);
  append_proto_integer(trainer, TrainerField::pad_id, kPad);
  append_proto_bytes(model, ModelField::trainer, trainer);
  constexpr std::uint32_t kName = 1, kRemovesBlanks = 4;
  append_proto_bytes(normalizer, kName, "identity");
  append_proto_integer(normalizer, NormalizerField::added_blank, blank_in_front ? 1 : 0);
  append_proto_integer(normalizer, kRemovesBlanks, type == kWords ? 1 : 0);
  append_proto_bytes(model, ModelField::normalizer, normalizer);
  return model;
}

}  // namespace

std::string byte_pair_model(std::span<const ScoredPiece> pieces) {
  return model_of(pieces, kBytePairs);
}

std::string word_model(std::span<const std::string> words) {
  std::vector<ScoredPiece> pieces;
  for (const auto& word : words) pieces.push_back({std::string(kBlankMark) + word});
  return model_of(pieces, kWords);
}

std::string character_model(std::span<const std::string> characters) {
  std::vector<ScoredPiece> pieces;
  for (const auto& character : characters)
    pieces.push_back({character == " " ? std::string(kBlankMark) : character});
  return model_of(pieces, kCharacters, /*blank_in_front=*/false);
}

}  // namespace transformer::data
