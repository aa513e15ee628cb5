#include "transformer/formats/huggingface/seq2seq_token_files.h"

#include "transformer/base/atomic_file.h"
#include "transformer/data/renumbered_model.h"
#include "transformer/formats/huggingface/languages.h"
#include "transformer/formats/huggingface/tokenizer_json.h"
#include "transformer/formats/json_file.h"

namespace transformer::formats::seq2seq {
namespace {

using checkpoints::Tokenizers;
using data::Tokenizer;
using Json = nlohmann::ordered_json;

bool has_own_begin(const TheirTokens& tokens) {
  return tokens.start != tokens.pad && tokens.start != tokens.end && tokens.start != tokens.unknown;
}

void add_special(Json& about, const TheirTokens& tokens) {
  const auto piece = [&](std::int64_t id) { return tokens.pieces[static_cast<std::size_t>(id)]; };
  about["unk_token"] = piece(tokens.unknown);
  about["pad_token"] = piece(tokens.pad);
  about["eos_token"] = piece(tokens.end);
  if (tokens.form == TokenForm::marian || tokens.form == TokenForm::t5) return;
  const auto begin = tokens.form == TokenForm::bart ? piece(*tokens.source_first) : piece(0);
  about["bos_token"] = about["cls_token"] = begin;
  about["sep_token"] = piece(tokens.end);
  // What is left out of texts: a begin of ours beside theirs, and languages.
  auto extra = Json::array();
  if (has_own_begin(tokens) && piece(tokens.start) != begin) extra.push_back(piece(tokens.start));
  if (tokens.form == TokenForm::m2m)
    for (const auto& language : language_tokens(tokens.language_codes)) extra.push_back(language);
  if (!extra.empty()) about["extra_special_tokens"] = extra;
}

/// Languages and the mask, by their ids.
void add_languages(Json& about, const TheirTokens& tokens) {
  auto count = std::ssize(tokens.pieces);
  while (count > tokens.listed &&
         tokens.pieces[static_cast<std::size_t>(count - 1)] == huggingface::unused_piece(count - 1))
    --count;
  auto names = Json::array();
  auto by_id = Json::object();
  for (auto id = tokens.listed; id < count; ++id) {
    const auto& piece = tokens.pieces[static_cast<std::size_t>(id)];
    if (piece != "<mask>") names.push_back(piece);
    by_id[std::to_string(id)] = {{"content", piece}, {"lstrip", piece == "<mask>"}, {"normalized", false},
                                 {"rstrip", false},  {"single_word", false},        {"special", true}};
  }
  about["added_tokens_decoder"] = by_id;
  about["extra_special_tokens"] = names;
}

std::vector<std::string> listed_of(const TheirTokens& tokens) {
  return {tokens.pieces.begin(), tokens.pieces.begin() + tokens.listed};
}

std::string t5_model(const Tokenizer& tokenizer, const TheirTokens& tokens) {
  return data::renumbered_model(
      tokenizer.serialized(), listed_of(tokens), data::ModelUse::encode, tokenizer.path().string(),
      {.unknown = tokens.unknown,
       .pad = tokens.pad,
       .end = tokens.end,
       .begin = has_own_begin(tokens) ? std::optional(tokens.start) : std::nullopt});
}

}  // namespace

void write_tokens(const Tokenizers& tokenizers, const TheirTokens& tokens,
                  std::optional<std::int64_t> longest, const std::filesystem::path& folder) {
  constexpr const char* kModel = "sentencepiece.bpe.model";
  const auto& source = *tokenizers.source;
  Json about;
  const auto of_class = [&](const char* name) {
    about["tokenizer_class"] = name;
    add_special(about, tokens);
  };
  switch (tokens.form) {
    case TokenForm::t5:
      of_class("T5Tokenizer");
      about["extra_ids"] = tokens.sentinels;
      write_file_atomically(folder / "spiece.model", t5_model(source, tokens));
      break;
    case TokenForm::m2m:
      of_class("M2M100Tokenizer");
      about["language_codes"] = tokens.language_codes;
      write_file_atomically(folder / kModel, source.serialized());
      huggingface::write_pieces(folder / "vocab.json", listed_of(tokens));
      break;
    case TokenForm::nllb:
      of_class("NllbTokenizer");
      about["mask_token"] = "<mask>";
      add_languages(about, tokens);
      write_file_atomically(folder / kModel, source.serialized());
      break;
    case TokenForm::bart:
      of_class("BartTokenizer");
      huggingface::write_pieces(folder / "vocab.json", tokens.pieces);
      huggingface::write_merges(folder / "merges.txt", source.pairs()->merges());
      break;
    case TokenForm::marian:
      of_class("MarianTokenizer");
      write_file_atomically(folder / "source.spm", source.serialized());
      write_file_atomically(folder / "target.spm", tokenizers.target->serialized());
      huggingface::write_pieces(folder / "vocab.json", tokens.pieces);
      break;
  }
  if (!tokens.source_language.empty()) about["src_lang"] = tokens.source_language;
  if (!tokens.target_language.empty()) about["tgt_lang"] = tokens.target_language;
  if (longest) about["model_max_length"] = *longest;
  write_json(folder / "tokenizer_config.json", about);
}

}  // namespace transformer::formats::seq2seq
