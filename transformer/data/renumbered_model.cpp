#include "transformer/data/renumbered_model.h"

#include <fmt/format.h>
#include <sentencepiece_processor.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

#include "transformer/base/blank_mark.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/model_message.h"

namespace transformer::data {
namespace {

/// A view of a model's file.
struct Model {
  explicit Model(std::string_view file) {
    for (const auto& field : fields_of(file)) {
      if (field.number == ModelField::pieces) {
        const auto piece = model_piece_of(field.content);
        pieces.emplace(piece.text, piece);
        if (piece.type == PieceType::normal) lowest = std::min(lowest, piece.score);
      } else if (field.number != ModelField::self_test) {
        rest.append(field.whole);
      }
      if (field.number == ModelField::trainer) read_trainer(field.content);
      if (field.number == ModelField::normalizer) read_normalizer(field.content);
    }
  }

  void read_trainer(std::string_view message) {
    for (const auto& field : fields_of(message)) {
      if (field.number == TrainerField::model_type) type = field.value;
      if (field.number == TrainerField::blank_behind) blank_behind = field.value != 0;
    }
  }

  void read_normalizer(std::string_view message) {
    for (const auto& field : fields_of(message))
      if (field.number == NormalizerField::added_blank) blank_in_front = field.value != 0;
  }

  std::unordered_map<std::string_view, ModelPiece> pieces;
  std::string rest;  // all fields but the pieces
  float lowest = 0;  // score of a normal piece
  std::uint64_t type = kUnigram;
  bool blank_in_front = true, blank_behind = false;
};

/// A piece of byte-pair encoding that `pieces` lacks and that is a part of another, or nothing.
std::string_view missing_step(const Model& model, const std::vector<std::string>& pieces) {
  std::unordered_set<std::string_view> missing;
  for (const auto& [text, piece] : model.pieces)
    if (piece.type == PieceType::normal && !is_one_character(text)) missing.insert(text);
  for (const auto& piece : pieces) missing.erase(piece);
  if (missing.empty()) return {};
  for (const std::string_view piece : pieces) {
    if (!model.pieces.contains(piece)) continue;
    for (std::size_t begin = 0; begin < piece.size(); ++begin) {
      if (!begins_character(piece[begin])) continue;
      for (std::size_t size = 1; size <= piece.size() - begin; ++size)
        if (const auto part = missing.find(piece.substr(begin, size)); part != missing.end()) return *part;
    }
  }
  return {};
}

/// What the model becomes when `texts` number its pieces.
class Renumbering {
 public:
  Renumbering(const Model& model, ModelUse use, const SpecialPlaces& places)
      : model_(model), use_(use), places_(places) {}

  std::string of(const std::vector<std::string>& texts) const {
    std::string result;
    for (std::size_t id = 0; id < texts.size(); ++id)
      append_piece(result, static_cast<std::int64_t>(id), texts[id]);
    result.append(model_.rest);
    // Of a message that comes twice, what the second says counts.
    std::string trainer;
    append_proto_integer(trainer, TrainerField::vocabulary, texts.size());
    append_special(trainer, places_,
                   [&](std::int64_t id) -> std::string_view { return texts[static_cast<std::size_t>(id)]; });
    append_proto_bytes(result, ModelField::trainer, trainer);
    return result;
  }

 private:
  bool is_special(std::int64_t id) const {
    return id == places_.unknown || id == places_.pad || id == places_.end || id == places_.begin;
  }

  void append_piece(std::string& result, std::int64_t id, const std::string& text) const {
    const bool code = !is_special(id) && use_ == ModelUse::encode &&
                      (is_language_code(text) || (is_sentinel(text) && !model_.pieces.contains(text)));
    const auto piece = code ? ModelPiece{text, 0, PieceType::user} : renumbered(id, text);
    std::string message;
    append_proto_bytes(message, PieceField::text, code ? with_blank(text) : text);
    append_proto_float(message, PieceField::score, piece.score);
    append_proto_integer(message, PieceField::type, piece.type);
    append_proto_bytes(result, ModelField::pieces, message);
  }

  ModelPiece renumbered(std::int64_t id, std::string_view text) const {
    if (is_special(id)) return {text, 0, id == places_.unknown ? PieceType::unknown : PieceType::control};
    const auto found = model_.pieces.find(text);
    if (found == model_.pieces.end()) return foreign(text);
    auto piece = found->second;
    if (piece.type == PieceType::unknown) piece.type = PieceType::control;  // there is one for unknown text
    return piece;
  }

  /// A piece that the model lacks. An unknown character can be split in only one way, so its score does not
  /// matter. The unigram model skips unused pieces. Byte-pair encoding would use them as steps; it does not
  /// use control pieces, but those decode to nothing.
  ModelPiece foreign(std::string_view text) const {
    if (is_one_character(text)) return {text, model_.lowest, PieceType::normal};
    return {text, 0,
            model_.type == kBytePairs && use_ == ModelUse::encode ? PieceType::control : PieceType::unused};
  }

  std::string with_blank(const std::string& code) const {
    return model_.blank_in_front && !model_.blank_behind ? std::string(kBlankMark) + code : code;
  }

  const Model& model_;
  ModelUse use_;
  const SpecialPlaces& places_;
};

void check_loads(const std::string& model) {
  sentencepiece::SentencePieceProcessor processor;
  const auto status = processor.LoadFromSerializedProto(model);
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

}  // namespace

std::string_view without_blank(std::string_view piece) {
  return piece.starts_with(kBlankMark) ? piece.substr(std::string_view(kBlankMark).size()) : piece;
}

bool is_language_code(std::string_view piece) {
  return piece.size() > 4 && piece.starts_with(">>") && piece.ends_with("<<");
}

bool is_sentinel(std::string_view piece) {
  constexpr std::string_view kFront = "<extra_id_";
  if (!piece.starts_with(kFront) || !piece.ends_with('>')) return false;
  const auto number = piece.substr(kFront.size(), piece.size() - kFront.size() - 1);
  return !number.empty() && std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
}

std::string renumbered_model(std::string_view model, const std::vector<std::string>& pieces, ModelUse use,
                             const std::string& name, const SpecialPlaces& special) {
  try {
    const Model original(model);
    if (original.type != kUnigram && original.type != kBytePairs)
      throw std::runtime_error("it is neither a unigram model nor byte-pair encoding");
    if (original.type == kBytePairs && use == ModelUse::encode) {
      const auto step = missing_step(original, pieces);
      if (!step.empty())
        throw std::runtime_error(
            fmt::format("the vocabulary lacks '{}', which byte-pair encoding makes other pieces of", step));
    }
    auto result = Renumbering(original, use, special).of(pieces);
    check_loads(result);
    return result;
  } catch (const std::runtime_error& error) {
    throw InputError(fmt::format("{}: no SentencePiece model alone can give the ids of its vocabulary: {}",
                                 name, error.what()));
  }
}

bool is_plain_unigram(std::string_view model) {
  const Model original(model);
  return original.type == kUnigram && original.blank_in_front && !original.blank_behind &&
         std::ranges::none_of(original.pieces, [](const auto& named) {
           const auto& [text, piece] = named;
           return piece.type == PieceType::byte ||
                  (piece.type == PieceType::user && !is_sentinel(without_blank(text)));
         });
}

bool is_byte_pairs(std::string_view model) {
  return Model(model).type == kBytePairs;
}

OwnNumbering own_numbering(std::string_view model, const std::string& name) {
  sentencepiece::SentencePieceProcessor processor;
  if (model.empty() || !proto_fields(model) || !processor.LoadFromSerializedProto(model).ok())
    throw InputError(fmt::format("{}: expected a SentencePiece model, found other or damaged content", name));
  const auto id = [](int found) { return found < 0 ? std::nullopt : std::optional<std::int64_t>(found); };
  OwnNumbering own{.pieces = {},
                   .unknown = id(processor.unk_id()),
                   .pad = id(processor.pad_id()),
                   .begin = id(processor.bos_id()),
                   .end = id(processor.eos_id())};
  for (int i = 0; i < processor.GetPieceSize(); ++i) own.pieces.push_back(processor.IdToPiece(i));
  return own;
}

}  // namespace transformer::data
