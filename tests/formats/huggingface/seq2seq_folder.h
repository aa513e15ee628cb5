// Folders of small encoder-decoders as transformers writes them, with their tokenizers' files.
#pragma once

#include <algorithm>

#include "tests/formats/huggingface/constants_seq2seq.h"
#include "tests/formats/huggingface/their_folder.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/model_message.h"

namespace transformer::test {

inline const std::vector<std::string> kTheirPieces{"<unk>", "<pad>", "<s>",     "</s>",   "\u2581",
                                                   "a",     "b",     "\u2581a", "\u2581b"};
inline const json kTheirLanguages{"__de__", "__en__", "<madeup>"};

/// SentencePiece's model of these pieces, the later the more probable.
inline std::string model_of(const std::vector<std::string>& pieces, std::uint64_t type) {
  using namespace data;
  std::string model, trainer, normalizer;
  append_proto_integer(trainer, TrainerField::model_type, type);
  append_proto_integer(trainer, TrainerField::vocabulary, pieces.size());
  const auto special = [&](std::uint32_t field, const char* name) {
    const auto place = std::ranges::find(pieces, name) - pieces.begin();
    append_proto_integer(trainer, field, static_cast<std::uint64_t>(place < std::ssize(pieces) ? place : -1));
  };
  special(TrainerField::unknown_id, "<unk>");
  special(TrainerField::pad_id, "<pad>");
  special(TrainerField::begin_id, "<s>");
  special(TrainerField::end_id, "</s>");
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    std::string piece;
    append_proto_bytes(piece, PieceField::text, pieces[id]);
    append_proto_float(piece, PieceField::score, static_cast<float>(id) - 20);
    append_proto_integer(piece, PieceField::type,
                         pieces[id] == "<unk>"         ? PieceType::unknown
                         : pieces[id].starts_with('<') ? PieceType::control
                                                       : PieceType::normal);
    append_proto_bytes(model, ModelField::pieces, piece);
  }
  append_proto_bytes(model, ModelField::trainer, trainer);
  append_proto_integer(normalizer, NormalizerField::added_blank, 1);
  append_proto_bytes(model, ModelField::normalizer, normalizer);
  return model;
}

/// unk 0, pad 1, begin 2, end 3, five pieces and three more tokens.
class Seq2SeqFolder : public TheirFolder {
 public:
  explicit Seq2SeqFolder(const TheirModel& theirs) : TheirFolder(theirs) {
    const auto content = model_of(kTheirPieces, data::kUnigram);
    const auto is = [&](const char* type) {
      return std::string_view(theirs.config).find(type) != std::string_view::npos;
    };
    if (is("\"bart\"")) {
      write("vocab.json", R"({"<unk>": 0, "<pad>": 1, "<s>": 2, "</s>": 3, "a": 4, "b": 5, "ab": 6})");
      write("merges.txt", "a b\n");
      return;
    }
    if (!is("m2m_100")) {
      write("spiece.model", content);
      write("special_tokens_map.json",
            json{{"additional_special_tokens", {"<extra_id_2>", "<extra_id_1>", "<extra_id_0>"}}}.dump());
      return;
    }
    write("sentencepiece.bpe.model", content);
    json vocabulary;
    for (std::size_t id = 0; id < kTheirPieces.size(); ++id) vocabulary[kTheirPieces[id]] = id;
    write("vocab.json", vocabulary.dump());
    write("tokenizer_config.json", json{{"additional_special_tokens", kTheirLanguages}}.dump());
  }
};

}  // namespace transformer::test
