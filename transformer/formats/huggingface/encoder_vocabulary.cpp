#include "transformer/formats/huggingface/encoder_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "transformer/base/error.h"
#include "transformer/base/printable.h"
#include "transformer/base/text_file.h"
#include "transformer/data/options.h"
#include "transformer/data/renumbered_model.h"
#include "transformer/data/unigram_model.h"
#include "transformer/formats/huggingface/albert_tokenizer.h"
#include "transformer/formats/huggingface/tokenizer_json.h"
#include "transformer/formats/json_object.h"

namespace transformer::formats::encoders {
namespace {

namespace fs = std::filesystem;
using Pieces = std::vector<std::string>;

struct SpecialNames {
  std::string unknown, pad, begin, end, mask;
};

/// What the classes have.
struct UsualNames {
  const char *unknown, *pad, *begin, *end, *mask;
};
constexpr UsualNames kBertNames{"[UNK]", "[PAD]", "[CLS]", "[SEP]", "[MASK]"};
constexpr UsualNames kRobertaNames{"<unk>", "<pad>", "<s>", "</s>", "<mask>"};
constexpr UsualNames kAlbertNames{"<unk>", "<pad>", "[CLS]", "[SEP]", "[MASK]"};

/// The keys of tokenizer_config.json, or the usual ones.
SpecialNames special_names(const JsonObject& about, const UsualNames& usual) {
  const auto name = [&](const char* key, const char* otherwise) {
    const auto* token = about.find(key);
    if (token != nullptr && token->is_object() && token->contains("content")) token = &token->at("content");
    if (token == nullptr) return std::string(otherwise);
    if (!token->is_string()) about.refuse(key, "a token");
    return token->get<std::string>();
  };
  return {name("unk_token", usual.unknown), name("pad_token", usual.pad), name("cls_token", usual.begin),
          name("sep_token", usual.end), name("mask_token", usual.mask)};
}

/// pieces: by their ids; ids behind them get pieces that no text has. The mask gets our name.
PieceNumbering numbered(Pieces pieces, const SpecialNames& names, std::int64_t size,
                        const std::string& file) {
  if (std::ssize(pieces) > size)
    throw InputError(fmt::format("{}: expected at most {} pieces, the vocab_size of config.json, found {}",
                                 file, size, pieces.size()));
  std::unordered_map<std::string_view, std::int64_t> ids;
  for (std::size_t id = 0; id < pieces.size(); ++id)
    if (!ids.emplace(pieces[id], static_cast<std::int64_t>(id)).second)
      throw InputError(
          fmt::format("{}: expected different pieces, found '{}' twice", file, printable(pieces[id])));
  const auto id_of = [&](const std::string& name) {
    const auto found = ids.find(name);
    if (found == ids.end())
      throw InputError(
          fmt::format("{}: expected the special token '{}', found no such piece", file, printable(name)));
    return found->second;
  };
  const SpecialPieces special{id_of(names.unknown), id_of(names.pad), id_of(names.end), id_of(names.begin),
                              0};
  if (std::unordered_set<std::int64_t>{special.unknown, special.pad, special.end, *special.begin}.size() != 4)
    throw InputError(fmt::format("{}: expected four special tokens, found '{}', '{}', '{}', '{}'", file,
                                 printable(names.unknown), printable(names.pad), printable(names.begin),
                                 printable(names.end)));
  if (const auto mask = ids.find(names.mask); mask != ids.end())
    pieces[static_cast<std::size_t>(mask->second)] = data::kMaskPiece;
  huggingface::add_unused_pieces(pieces, size);
  return number_pieces(pieces, special);
}

Vocabulary made(PieceNumbering numbering, const std::string& content, const fs::path& file) {
  auto tokenizer = std::make_shared<const data::Tokenizer>(data::Tokenizer::of_content(content, file));
  return {std::move(numbering), std::move(tokenizer)};
}

/// The lines of vocab.txt.
Pieces read_lines_of_pieces(const fs::path& file) {
  auto pieces = read_lines(file.string());
  while (!pieces.empty() && pieces.back().empty()) pieces.pop_back();
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (pieces[i].empty())
      throw InputError(fmt::format("{}:{}: expected a piece, found an empty line", file.string(), i + 1));
  return pieces;
}

/// Refuses classes that read vocab.txt and split texts by other rules than BERT's.
data::WordPieceOptions word_piece_options(const JsonObject& about) {
  const auto name = about.text("tokenizer_class").value_or("BertTokenizer");
  constexpr std::array kKnown{"BertTokenizer",           "BertTokenizerFast",       "DistilBertTokenizer",
                              "DistilBertTokenizerFast", "PreTrainedTokenizerFast", "TokenizersBackend"};
  if (std::ranges::find(kKnown, name) == kKnown.end())
    about.refuse("tokenizer_class", "BertTokenizer or DistilBertTokenizer beside vocab.txt");
  if (!about.boolean("do_basic_tokenize").value_or(true)) about.refuse("do_basic_tokenize", "true");
  data::WordPieceOptions options;
  options.lower_case = about.boolean("do_lower_case").value_or(true);
  options.strip_accents = about.boolean("strip_accents").value_or(options.lower_case);
  options.chinese_characters = about.boolean("tokenize_chinese_chars").value_or(true);
  return options;
}

class Reader {
 public:
  Reader(const fs::path& folder, const Config& config)
      : folder_(folder),
        config_(config),
        about_(exists(folder / "tokenizer_config.json") ? JsonObject(folder / "tokenizer_config.json")
                                                        : JsonObject()) {}

  Vocabulary read() const {
    if (const auto file = folder_ / "vocab.txt"; exists(file))
      return word_pieces(read_lines_of_pieces(file), word_piece_options(about_), file);
    if (const auto file = folder_ / "sentencepiece.bpe.model"; exists(file)) return sentence_pieces(file);
    if (const auto file = folder_ / "vocab.json"; exists(file) && exists(folder_ / "merges.txt"))
      return pairs(huggingface::read_pieces(JsonObject(file), config_.vocabulary),
                   huggingface::read_merges(folder_ / "merges.txt"), file);
    const auto file = folder_ / "tokenizer.json";
    if (config_.family == Family::albert) {
      if (exists(file) && is_unigram(JsonObject(file)))
        return unigram(read_albert_tokenizer(JsonObject(file), about_), file);
      if (const auto model = folder_ / "spiece.model"; !exists(file) && exists(model))
        return unigram(read_albert_model(model, about_), model);
    }
    if (!exists(file))
      throw InputError(
          fmt::format("{}: expected vocab.txt, sentencepiece.bpe.model, vocab.json and merges.txt, or "
                      "tokenizer.json, {}found none",
                      folder_.string(), config_.family == Family::albert ? "or spiece.model, " : ""));
    const huggingface::TokenizerJson json(file, config_.vocabulary);
    if (json.word_pieces) return word_pieces(json.pieces, *json.word_pieces, file);
    return pairs(json.pieces, json.merges, file);
  }

 private:
  PieceNumbering number(Pieces pieces, const UsualNames& usual, const fs::path& file) const {
    return numbered(std::move(pieces), special_names(about_, usual), config_.vocabulary, file.string());
  }

  Vocabulary word_pieces(Pieces pieces, const data::WordPieceOptions& options, const fs::path& file) const {
    auto numbering = number(std::move(pieces), kBertNames, file);
    const auto content = data::WordPieces::content_of(numbering.pieces, options);
    return made(std::move(numbering), content, file);
  }

  Vocabulary pairs(Pieces pieces, const Pieces& merges, const fs::path& file) const {
    if (about_.boolean("add_prefix_space").value_or(false)) about_.refuse("add_prefix_space", "false");
    auto numbering = number(std::move(pieces), kRobertaNames, file);
    const auto content = data::ByteLevelPairs::content_of(numbering.pieces, merges);
    return made(std::move(numbering), content, file);
  }

  /// fairseq's numbering: its own special tokens in the place of SentencePiece's first three.
  Vocabulary sentence_pieces(const fs::path& file) const {
    const auto content = read_file(file);
    const auto own = data::own_numbering(content, file.string());
    if (own.unknown != 0 || own.begin != 1 || own.end != 2 || own.pieces.size() < 4)
      throw InputError(fmt::format(
          "{}: expected the unknown, begin and end pieces as ids 0, 1 and 2, found others", file.string()));
    const SpecialNames names{"<unk>", "<pad>", "<s>", "</s>", "<mask>"};
    Pieces pieces{names.begin, names.pad, names.end, names.unknown};
    pieces.insert(pieces.end(), own.pieces.begin() + 3, own.pieces.end());
    pieces.push_back(names.mask);
    auto numbering = numbered(std::move(pieces), names, config_.vocabulary, file.string());
    const auto ours =
        data::renumbered_model(content, numbering.pieces, data::ModelUse::encode, file.string());
    return made(std::move(numbering), ours, file);
  }

  Vocabulary unigram(data::UnigramModel theirs, const fs::path& file) const {
    Pieces texts;
    for (const auto& piece : theirs.pieces) texts.push_back(piece.text);
    auto numbering = number(std::move(texts), kAlbertNames, file);
    data::UnigramModel ours{.character_map = std::move(theirs.character_map)};
    for (std::size_t id = 0; id < numbering.pieces.size(); ++id) {
      const auto place = static_cast<std::size_t>(numbering.theirs[id]);
      const auto& text = numbering.pieces[id];
      const bool known = place < theirs.pieces.size() && theirs.pieces[place].in_texts;
      ours.pieces.push_back({.text = text,
                             .score = known ? theirs.pieces[place].score : 0,
                             .in_texts = known && text != data::kMaskPiece});
    }
    return made(std::move(numbering), data::unigram_model(ours), file);
  }

  fs::path folder_;
  const Config& config_;
  JsonObject about_;
};

}  // namespace

Vocabulary read_vocabulary(const fs::path& folder, const Config& config) {
  return Reader(folder, config).read();
}

}  // namespace transformer::formats::encoders
