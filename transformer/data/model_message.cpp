#include "transformer/data/model_message.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace transformer::data {

std::vector<ProtoField> fields_of(std::string_view message) {
  auto fields = proto_fields(message);
  if (!fields) throw std::runtime_error("damaged fields");
  return *std::move(fields);
}

void append_special(std::string& trainer, const SpecialPlaces& special,
                    const std::function<std::string_view(std::int64_t)>& text_of) {
  const auto append = [&](std::uint32_t id_field, std::uint32_t text_field, std::int64_t id) {
    append_proto_integer(trainer, id_field, static_cast<std::uint64_t>(id));
    if (id >= 0) append_proto_bytes(trainer, text_field, text_of(id));
  };
  append(TrainerField::unknown_id, TrainerField::unknown, special.unknown);
  append(TrainerField::pad_id, TrainerField::pad, special.pad);
  append(TrainerField::begin_id, TrainerField::begin, special.begin.value_or(-1));
  append(TrainerField::end_id, TrainerField::end, special.end);
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

std::optional<unsigned char> byte_of_piece(std::string_view text) {
  if (text.size() != 6 || !text.starts_with("<0x") || !text.ends_with('>')) return std::nullopt;
  const auto digits = text.substr(3, 2);
  unsigned char byte = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return byte;
}

}  // namespace transformer::data
