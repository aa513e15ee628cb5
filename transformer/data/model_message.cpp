#include "transformer/data/model_message.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

namespace transformer::data {

std::vector<ProtoField> fields_of(std::string_view message) {
  auto fields = proto_fields(message);
  if (!fields) throw std::runtime_error("damaged fields");
  return *std::move(fields);
}

ModelPiece model_piece_of(std::string_view message) {
  ModelPiece piece;
  for (const auto& field : fields_of(message)) {
    if (field.number == PieceField::text) piece.text = field.content;
    if (field.number == PieceField::score)
      piece.score = std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
    if (field.number == PieceField::type) piece.type = field.value;
  }
  return piece;
}

bool is_one_character(std::string_view text) {
  return std::ranges::count_if(text, begins_character) == 1;
}

}  // namespace transformer::data
