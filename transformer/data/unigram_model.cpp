#include "transformer/data/unigram_model.h"

#include <fmt/format.h>

#include <stdexcept>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/model_message.h"

namespace transformer::data {
namespace {

// Fields of the normaliser that are written here alone.
constexpr std::uint32_t kMapName = 1, kMapField = 2, kJoinsBlanks = 4;

UnigramPiece unigram_piece(std::string_view message) {
  const auto piece = model_piece_of(message);
  if (piece.type == PieceType::byte) throw std::runtime_error("no pieces of bytes, found some");
  return {std::string(piece.text), piece.score,
          piece.type == PieceType::normal || piece.type == PieceType::user};
}

}  // namespace

UnigramModel read_unigram_model(std::string_view content, const std::string& name) {
  UnigramModel model;
  std::uint64_t type = kUnigram;
  const auto refuse = [&](const std::string& expected) {
    throw InputError(fmt::format("{}: expected {}", name, expected));
  };
  try {
    for (const auto& field : fields_of(content)) {
      if (field.number == ModelField::pieces) model.pieces.push_back(unigram_piece(field.content));
      if (field.number == ModelField::trainer)
        for (const auto& part : fields_of(field.content))
          if (part.number == TrainerField::model_type) type = part.value;
      if (field.number == ModelField::normalizer)
        for (const auto& part : fields_of(field.content))
          if (part.number == kMapField) model.character_map = part.content;
    }
  } catch (const std::runtime_error& error) {
    const std::string what = error.what();
    refuse(what.starts_with("no pieces") ? what : "a SentencePiece model, found other or damaged content");
  }
  if (model.pieces.empty()) refuse("a SentencePiece model, found other or damaged content");
  if (type != kUnigram) refuse("a unigram model, found one of another type");
  return model;
}

std::string unigram_model(const UnigramModel& model) {
  std::string content, trainer, normalizer;
  for (std::size_t id = 0; id < model.pieces.size(); ++id) {
    const auto& piece = model.pieces[id];
    const auto type = id == kUnknown   ? PieceType::unknown
                      : id <= kEos     ? PieceType::control
                      : piece.in_texts ? PieceType::normal
                                       : PieceType::unused;
    std::string message;
    append_proto_bytes(message, PieceField::text, piece.text);
    append_proto_float(message, PieceField::score, id <= kEos ? 0 : piece.score);
    append_proto_integer(message, PieceField::type, type);
    append_proto_bytes(content, ModelField::pieces, message);
  }
  append_proto_integer(trainer, TrainerField::model_type, kUnigram);
  append_proto_integer(trainer, TrainerField::vocabulary, model.pieces.size());
  append_special(trainer, {}, [&](std::int64_t id) -> std::string_view {
    return model.pieces[static_cast<std::size_t>(id)].text;
  });
  append_proto_bytes(content, ModelField::trainer, trainer);
  append_proto_bytes(normalizer, kMapName, "user_defined");
  if (!model.character_map.empty()) append_proto_bytes(normalizer, kMapField, model.character_map);
  append_proto_integer(normalizer, NormalizerField::added_blank, 1);
  append_proto_integer(normalizer, kJoinsBlanks, 1);
  append_proto_bytes(content, ModelField::normalizer, normalizer);
  return content;
}

}  // namespace transformer::data
