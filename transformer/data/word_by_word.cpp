#include "transformer/data/word_by_word.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "transformer/base/blank_mark.h"
#include "transformer/data/model_message.h"

namespace transformer::data {
namespace {

/// Whether the message is well formed and `accept` takes each of its fields.
bool all_fields(std::string_view message, const std::function<bool(const ProtoField&)>& accept) {
  const auto fields = proto_fields(message);
  return fields && std::ranges::all_of(*fields, accept);
}

/// The rules of normalization: a trie of what they replace, as a double array of 32-bit units. The child of a
/// node for a byte lies at the node's base xor that byte, if the unit there is labelled with it.
class Trie {
 public:
  explicit Trie(std::string_view units) : units_(units.size() / 4) {
    std::memcpy(units_.data(), units.data(), units_.size() * 4);
  }

  /// Whether a blank is in what any rule replaces.
  bool reads_blanks() const {
    if (units_.empty()) return false;
    std::vector<bool> seen(units_.size());
    std::vector<std::size_t> bases = {base_behind(0, 0)};
    while (!bases.empty()) {
      const auto base = bases.back();
      bases.pop_back();
      for (std::uint32_t byte = 1; byte < 256; ++byte) {
        const auto child = base ^ byte;
        if (child >= units_.size() || seen[child] || (units_[child] & 0x800000FFU) != byte) continue;
        if (byte == ' ') return true;
        seen[child] = true;
        bases.push_back(base_behind(child, child));
      }
    }
    return false;
  }

 private:
  std::size_t base_behind(std::size_t unit, std::size_t place) const {
    const auto bits = units_[unit];
    return place ^ ((bits >> 10U) << ((bits & 0x200U) >> 6U));
  }

  std::vector<std::uint32_t> units_;
};

/// The settings that the model's file holds, else SentencePiece's defaults.
struct Traits {
  bool byte_pairs = false;
  bool plain_pieces = true;
  bool blank_is_piece = false;
  bool blank_at_end_of_words = false;
  bool blank_in_front = true;
  bool few_blanks = true;
  bool marks_blanks = true;
  std::string_view rules = {};

  bool read_piece(std::string_view message) {
    std::string_view piece;
    std::uint64_t type = PieceType::normal;
    const bool read = all_fields(message, [&](const ProtoField& field) {
      if (field.number == PieceField::text) piece = field.content;
      if (field.number == PieceField::type) type = field.value;
      return (field.number != PieceField::text || field.kind == ProtoKind::bytes) &&
             (field.number != PieceField::type || field.kind == ProtoKind::integer);
    });
    if (type == PieceType::normal) {
      blank_is_piece |= piece == kBlankMark;
      plain_pieces &= piece.find(kBlankMark, 1) == std::string_view::npos;
    }
    plain_pieces &= type == PieceType::normal || type == PieceType::unknown || type == PieceType::control ||
                    type == PieceType::byte;
    return read;
  }

  bool read_trainer(std::string_view message) {
    return all_fields(message, [&](const ProtoField& field) {
      if (field.number == TrainerField::model_type) byte_pairs = field.value == kBytePairs;
      if (field.number == TrainerField::blank_behind) blank_at_end_of_words = field.value != 0;
      return (field.number != TrainerField::model_type && field.number != TrainerField::blank_behind) ||
             field.kind == ProtoKind::integer;
    });
  }

  bool read_normalizer(std::string_view message) {
    return all_fields(message, [&](const ProtoField& field) {
      if (field.number == 2) rules = field.content;
      if (field.number == 3) blank_in_front = field.value != 0;
      if (field.number == 4) few_blanks = field.value != 0;
      if (field.number == 5) marks_blanks = field.value != 0;
      if (field.number == 2) return field.kind == ProtoKind::bytes;
      return field.number < 3 || field.number > 5 || field.kind == ProtoKind::integer;
    });
  }

  bool read_model(std::string_view message) {
    return all_fields(message, [&](const ProtoField& field) {
      if (field.number < ModelField::pieces || field.number > ModelField::normalizer) return true;
      if (field.kind != ProtoKind::bytes) return false;
      if (field.number == ModelField::pieces) return read_piece(field.content);
      return field.number == ModelField::trainer ? read_trainer(field.content)
                                                 : read_normalizer(field.content);
    });
  }

  bool rules_read_blanks() const {
    std::uint32_t size = 0;  // of the trie, which what the rules put in place follows
    if (rules.empty()) return false;
    if (rules.size() < sizeof size) return true;
    std::memcpy(&size, rules.data(), sizeof size);
    return size > rules.size() - sizeof size || size % 4 != 0 ||
           Trie(rules.substr(sizeof size, size)).reads_blanks();
  }
};

}  // namespace

bool encodes_word_by_word(std::string_view model) {
  Traits traits;
  return traits.read_model(model) && traits.byte_pairs && traits.plain_pieces && traits.blank_is_piece &&
         !traits.blank_at_end_of_words && traits.blank_in_front && traits.few_blanks && traits.marks_blanks &&
         !traits.rules_read_blanks();
}

}  // namespace transformer::data
