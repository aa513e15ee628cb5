#include "transformer/formats/gguf/gguf_tokenizer.h"

#include <fmt/format.h>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/model_message.h"
#include "transformer/data/text_parts.h"
#include "transformer/formats/plain_tokenizers.h"

namespace transformer::formats {
namespace {

using data::ModelField;
using data::NormalizerField;
using data::PieceField;
using data::TrainerField;

constexpr std::uint64_t kCharacters = 4;  // SentencePiece's type of a model of characters

struct GgufPieces {
  std::vector<std::string> texts = {};
  std::vector<float> scores = {};
  std::vector<std::int32_t> types = {};  ///< SentencePiece's numbers and llama.cpp's are the same
};

GgufPieces pieces_of(const data::Tokenizer& tokenizer) {
  const auto refuse = [&](const char* expected, const char* found) {
    throw InputError(
        fmt::format("{}: expected {} for GGUF, found {}", tokenizer.path().string(), expected, found));
  };
  GgufPieces pieces;
  std::uint64_t type = data::kUnigram;  // where a message comes twice, later fields count
  bool marked = true;
  for (const auto& field : data::fields_of(tokenizer.serialized())) {
    if (field.number == ModelField::pieces) {
      const auto piece = data::model_piece_of(field.content);
      pieces.texts.emplace_back(piece.text);
      pieces.scores.push_back(piece.score);
      pieces.types.push_back(static_cast<std::int32_t>(piece.type));
    } else if (field.number == ModelField::trainer) {
      for (const auto& part : data::fields_of(field.content))
        if (part.number == TrainerField::model_type) type = part.value;
    } else if (field.number == ModelField::normalizer) {
      for (const auto& part : data::fields_of(field.content))
        if (part.number == NormalizerField::marked_blanks) marked = part.value != 0;
    }
  }
  if (type != data::kBytePairs && type != kCharacters)
    refuse("byte-pair encoding or characters", "another model of SentencePiece");
  if (!marked) refuse("marks for blanks", "none (data.tokenizer_kind: bytes)");
  if (data::AddedBlank(tokenizer.serialized()).behind)
    refuse("blanks in front of words", "blanks behind them");
  return pieces;
}

}  // namespace

void add_gguf_tokenizer(GgufFile& file, const data::Tokenizer& tokenizer, std::int32_t begin) {
  check_subwords(tokenizer);
  auto pieces = pieces_of(tokenizer);
  const auto set = [&](const char* name, GgufValue value) {
    file.metadata["tokenizer.ggml." + std::string(name)] = std::move(value);
  };
  set("model", std::string("llama"));
  set("pre", std::string("default"));
  set("tokens", std::move(pieces.texts));
  set("scores", std::move(pieces.scores));
  set("token_type", std::move(pieces.types));
  for (const auto& [name, id] : {std::pair{"bos_token_id", begin},
                                 {"eos_token_id", kEos},
                                 {"unknown_token_id", kUnknown},
                                 {"padding_token_id", kPad}})
    set(name, static_cast<std::uint32_t>(id));
  set("add_bos_token", true);
  set("add_eos_token", false);
  set("add_space_prefix", data::AddedBlank(tokenizer.serialized()).added);
}

data::Tokenizer gguf_tokenizer(const GgufFile& file, const std::string& source) {
  const auto key = [](const char* name) { return "tokenizer.ggml." + std::string(name); };
  const auto& texts = gguf_value<std::vector<std::string>>(file, key("tokens"), source);
  const auto& scores = gguf_value<std::vector<float>>(file, key("scores"), source);
  const auto& types = gguf_value<std::vector<std::int32_t>>(file, key("token_type"), source);
  if (scores.size() != texts.size() || types.size() != texts.size())
    throw InputError(fmt::format("{}: expected a score and a type for each of {} tokens, found {} and {}",
                                 source, texts.size(), scores.size(), types.size()));
  std::string model, trainer, normalizer;
  bool bytes = false;
  for (std::size_t id = 0; id < texts.size(); ++id) {
    const auto type = static_cast<std::uint64_t>(types[id]);
    bytes = bytes || type == data::PieceType::byte;
    std::string piece;
    append_proto_bytes(piece, PieceField::text, texts[id]);
    append_proto_float(piece, PieceField::score, scores[id]);
    append_proto_integer(piece, PieceField::type, type);
    append_proto_bytes(model, ModelField::pieces, piece);
  }
  constexpr std::uint32_t kByteFallback = 35, kName = 1, kRemovesBlanks = 4;
  append_proto_integer(trainer, TrainerField::model_type, data::kBytePairs);
  append_proto_integer(trainer, TrainerField::vocabulary, texts.size());
  append_proto_integer(trainer, kByteFallback, bytes ? 1 : 0);
  for (const auto& [field, id] : {std::pair{TrainerField::unknown_id, kUnknown},
                                  {TrainerField::begin_id, kBos},
                                  {TrainerField::end_id, kEos},
                                  {TrainerField::pad_id, kPad}})
    append_proto_integer(trainer, field, static_cast<std::uint64_t>(id));
  append_proto_bytes(model, ModelField::trainer, trainer);
  append_proto_bytes(normalizer, kName, "identity");
  append_proto_integer(normalizer, NormalizerField::added_blank,
                       gguf_value<bool>(file, key("add_space_prefix"), source) ? 1 : 0);
  append_proto_integer(normalizer, kRemovesBlanks, 0);
  append_proto_bytes(model, ModelField::normalizer, normalizer);
  return data::Tokenizer::of_content(std::move(model), source);
}

}  // namespace transformer::formats
