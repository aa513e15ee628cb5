#include "transformer/formats/huggingface/seq2seq_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "transformer/base/error.h"
#include "transformer/base/text_file.h"
#include "transformer/data/renumbered_model.h"
#include "transformer/formats/huggingface/tokenizer_json.h"
#include "transformer/formats/json_object.h"

namespace transformer::formats::seq2seq {
namespace {

namespace fs = std::filesystem;
using Pieces = std::vector<std::string>;

constexpr std::int64_t kSentinels = 100;  // of T5, where no file says how many
/// Of M2M-100, and of its kin for WMT 2021, where no file lists them.
constexpr const char* kLanguages =
    "af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu ha he hi hr "
    "ht hu hy "
    "id ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr ms my ne nl no ns oc or pa pl ps "
    "pt ro ru "
    "sd si sk sl so sq sr ss su sv sw ta th tl tn tr uk ur uz vi wo xh yi yo zh zu";
constexpr const char* kLanguages2021 = "en ha is ja cs ru zh de";

fs::path first_of(const fs::path& folder, std::initializer_list<const char*> names) {
  for (const auto* name : names)
    if (exists(folder / name)) return folder / name;
  throw InputError(fmt::format("{}: expected {}, a SentencePiece model, found nothing of that name",
                               folder.string(), *names.begin()));
}

/// Tokens by their ids that a tokenizer's files add to its pieces.
class AddedTokens {
 public:
  AddedTokens(const fs::path& folder, std::int64_t vocabulary) : vocabulary_(vocabulary) {
    read_list(folder / "tokenizer.json");
    read_map(folder / "tokenizer_config.json");
    for (const auto* file : {"tokenizer_config.json", "special_tokens_map.json"})
      for (const auto* key : {"extra_special_tokens", "additional_special_tokens"})
        read_names(folder / file, key);
  }

  /// Pieces by their ids, with the added ones. Tokens without ids follow the last piece.
  void add_to(Pieces& pieces, const fs::path& file) const {
    const auto own = pieces.size();
    for (const auto& [id, text] : by_id_) {
      const auto place = static_cast<std::size_t>(id);
      if (place < own && pieces[place] != text)
        throw InputError(fmt::format(
            "{}: expected '{}' for id {}, as the other files of the tokenizer have it, found '{}'",
            file.string(), text, id, pieces[place]));
      place_piece(pieces, place, text);
    }
    if (by_id_.empty() || by_id_.rbegin()->first < static_cast<std::int64_t>(own))
      for (const auto& text : names_)
        if (std::ranges::find(pieces, text) == pieces.end()) pieces.push_back(text);
  }

  bool empty() const { return by_id_.empty() && names_.empty(); }

 private:
  static void place_piece(Pieces& pieces, std::size_t place, const std::string& text) {
    for (auto id = pieces.size(); id <= place; ++id) pieces.push_back(fmt::format("<unused{}>", id));
    pieces[place] = text;
  }

  void add(const JsonObject& file, const char* key, std::int64_t id, const nlohmann::json& content) {
    if (id < 0 || id >= vocabulary_ || !content.is_string())
      file.refuse(key, fmt::format("texts for ids below {}, the vocab_size of config.json", vocabulary_));
    by_id_.emplace(id, content.get<std::string>());
  }

  void read_list(const fs::path& path) {
    if (!exists(path)) return;
    const JsonObject file(path);
    constexpr const char* kKey = "added_tokens";
    const auto* list = file.find(kKey);
    if (list == nullptr) return;
    for (const auto& token : list->is_array() ? *list : nlohmann::json::array({nullptr})) {
      const bool whole = token.is_object() && token.contains("id") && token["id"].is_number_integer() &&
                         token.contains("content");
      if (!whole) file.refuse(kKey, "a list of objects with id and content");
      add(file, kKey, token["id"].get<std::int64_t>(), token["content"]);
    }
  }

  void read_map(const fs::path& path) {
    if (!exists(path)) return;
    const JsonObject file(path);
    constexpr const char* kKey = "added_tokens_decoder";
    const auto* map = file.find(kKey);
    if (map == nullptr) return;
    if (!map->is_object()) file.refuse(kKey, "an object");
    for (const auto& [id, token] : map->items()) {
      const bool number = !id.empty() && id.size() < 10 &&
                          std::ranges::all_of(id, [](char c) { return c >= '0' && c <= '9'; });
      if (!number || !token.is_object()) file.refuse(kKey, "objects by ids");
      add(file, kKey, std::stoll(id), token.value("content", nlohmann::json()));
    }
  }

  void read_names(const fs::path& path, const char* key) {
    if (!exists(path)) return;
    const JsonObject file(path);
    const auto* list = file.find(key);
    if (list == nullptr || list->is_object()) return;
    for (const auto& token : list->is_array() ? *list : nlohmann::json::array({nullptr})) {
      const auto& content = token.is_object() && token.contains("content") ? token["content"] : token;
      if (!content.is_string()) file.refuse(key, "a list of texts");
      const auto text = content.get<std::string>();
      if (std::ranges::find(names_, text) == names_.end()) names_.push_back(text);
    }
  }

  std::int64_t vocabulary_;
  std::map<std::int64_t, std::string> by_id_;
  Pieces names_;
};

/// The pieces of a model behind four special ones, fairseq's.
Pieces fairseq_pieces(const Pieces& own) {
  Pieces pieces{"<s>", "<pad>", "</s>", "<unk>"};
  for (std::size_t id = 3; id < own.size(); ++id) pieces.push_back(own[id]);
  return pieces;
}

void add_sentinels(Pieces& pieces, std::int64_t vocabulary) {
  if (std::ssize(pieces) + kSentinels > vocabulary) return;
  for (auto i = kSentinels - 1; i >= 0; --i) pieces.push_back(fmt::format("<extra_id_{}>", i));
}

void add_languages(Pieces& pieces, const fs::path& folder) {
  if (std::ranges::find(pieces, "__en__") != pieces.end()) return;
  const auto file = folder / "tokenizer_config.json";
  const auto codes = exists(file) ? JsonObject(file).text("language_codes").value_or("") : "";
  std::istringstream languages(codes == "wmt21" ? kLanguages2021 : kLanguages);
  for (std::string language; languages >> language;) pieces.push_back("__" + language + "__");
}

/// Up to the rows of the embedding.
void fill(Pieces& pieces, std::int64_t vocabulary, const fs::path& file) {
  if (std::ssize(pieces) > vocabulary)
    throw InputError(fmt::format("{}: expected at most {} tokens, the vocab_size of config.json, found {}",
                                 file.string(), vocabulary, pieces.size()));
  for (auto id = std::ssize(pieces); id < vocabulary; ++id) pieces.push_back(fmt::format("<unused{}>", id));
}

PieceNumbering numbered(const Pieces& pieces, const Config& config, const fs::path& file) {
  const auto unknown = std::ranges::find(pieces, "<unk>") - pieces.begin();
  if (unknown == std::ssize(pieces) || unknown == config.pad || unknown == config.end)
    throw InputError(
        fmt::format("{}: expected a token '<unk>' that is neither pad_token_id nor eos_token_id, found none",
                    file.string()));
  return number_pieces(pieces, {.unknown = unknown,
                                .pad = config.pad,
                                .end = config.end,
                                .begin = own_begin(config.start, {unknown, config.pad, config.end}),
                                .start = config.start});
}

Vocabulary read_pairs(const fs::path& folder, const Config& config) {
  const auto file = folder / "vocab.json";
  auto pieces = huggingface::read_pieces(JsonObject(file), config.vocabulary);
  fill(pieces, config.vocabulary, file);
  Vocabulary result{.numbering = numbered(pieces, config, file), .tokenizer = nullptr};
  const auto content = data::ByteLevelPairs::content_of(result.numbering.pieces,
                                                        huggingface::read_merges(folder / "merges.txt"));
  result.tokenizer = std::make_shared<const data::Tokenizer>(data::Tokenizer::of_content(content, file));
  return result;
}

/// mBART's first version puts the token of the source's language behind its end.
void check_mbart(const fs::path& folder) {
  const auto file = folder / "tokenizer_config.json";
  const auto name = exists(file) ? JsonObject(file).text("tokenizer_class").value_or("") : "";
  if (!name.starts_with("MBart50Tokenizer"))
    throw InputError(
        fmt::format("{}: expected the tokenizer_class MBart50Tokenizer, whose sources begin with their "
                    "language, found '{}'",
                    file.string(), name));
}

}  // namespace

Vocabulary read_vocabulary(const fs::path& folder, const Config& config) {
  if (config.family == Family::bart) return read_pairs(folder, config);
  if (config.family == Family::mbart) check_mbart(folder);
  const AddedTokens added(folder, config.vocabulary);
  const bool t5 = config.family == Family::t5;
  const auto model = t5 ? first_of(folder, {"spiece.model", "tokenizer.model"})
                        : first_of(folder, {"sentencepiece.bpe.model", "tokenizer.model"});
  const auto content = read_file(model);
  auto pieces = data::own_numbering(content, model.string()).pieces;
  const auto json = folder / "vocab.json";
  const bool numbered_apart = config.family == Family::m2m_100 && exists(json);
  if (numbered_apart)
    pieces = huggingface::read_pieces(JsonObject(json), config.vocabulary);
  else if (!t5)
    pieces = fairseq_pieces(pieces);
  if (t5 && added.empty()) add_sentinels(pieces, config.vocabulary);
  const auto file = numbered_apart ? json : model;
  added.add_to(pieces, file);
  if (numbered_apart) add_languages(pieces, folder);
  fill(pieces, config.vocabulary, file);
  Vocabulary result{.numbering = numbered(pieces, config, file), .tokenizer = nullptr};
  auto& ours = result.numbering.pieces;
  if (t5) {
    result.tokenizer = std::make_shared<const data::Tokenizer>(data::Tokenizer::of_content(
        data::renumbered_model(content, ours, data::ModelUse::encode, model.string()), model));
  } else {
    result.tokenizer = std::make_shared<const data::Tokenizer>(model, data::Vocabulary(ours, file.string()));
  }
  return result;
}

}  // namespace transformer::formats::seq2seq
