#include "transformer/formats/huggingface/seq2seq_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "transformer/base/error.h"
#include "transformer/base/text_file.h"
#include "transformer/data/renumbered_model.h"
#include "transformer/formats/huggingface/languages.h"
#include "transformer/formats/huggingface/tokenizer_json.h"
#include "transformer/formats/json_object.h"

namespace transformer::formats::seq2seq {
namespace {

namespace fs = std::filesystem;
using Pieces = std::vector<std::string>;

constexpr const char *kSourceModel = "source.spm", *kAbout = "tokenizer_config.json";
constexpr std::int64_t kSentinels = 100;  // of T5, where no file says how many

/// Without keys where there is no such file.
JsonObject object_in(const fs::path& folder, const char* name) {
  return exists(folder / name) ? JsonObject(folder / name) : JsonObject();
}

fs::path first_of(const fs::path& folder, std::initializer_list<const char*> names) {
  for (const auto* name : names)
    if (exists(folder / name)) return folder / name;
  throw InputError(fmt::format("{}: expected {}, a SentencePiece model, found nothing of that name",
                               folder.string(), *names.begin()));
}

/// Tokens by their ids that a tokenizer's files add to its pieces.
class AddedTokens {
 public:
  /// about: tokenizer_config.json.
  AddedTokens(const fs::path& folder, const JsonObject& about, std::int64_t vocabulary)
      : vocabulary_(vocabulary), extra_ids_(about.integer("extra_ids", 0, vocabulary)) {
    read_list(object_in(folder, "tokenizer.json"));
    read_map(about);
    const auto special = object_in(folder, "special_tokens_map.json");
    for (const auto* file : {&about, &special})
      for (const auto* key : {"extra_special_tokens", "additional_special_tokens"}) read_names(*file, key);
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

  /// T5's, if no file lists their ids: as many as the list of names has, or extra_ids. Nothing: as usual.
  std::optional<std::int64_t> sentinels() const {
    if (!by_id_.empty()) return 0;
    const auto listed = std::ranges::count_if(names_, data::is_sentinel);
    return listed > 0 ? std::optional<std::int64_t>(listed) : extra_ids_;
  }

 private:
  static void place_piece(Pieces& pieces, std::size_t place, const std::string& text) {
    huggingface::add_unused_pieces(pieces, static_cast<std::int64_t>(place) + 1);
    pieces[place] = text;
  }

  void add(const JsonObject& file, const char* key, std::int64_t id, const nlohmann::json& content) {
    if (id < 0 || id >= vocabulary_ || !content.is_string())
      file.refuse(key, fmt::format("texts for ids below {}, the vocab_size of config.json", vocabulary_));
    by_id_.emplace(id, content.get<std::string>());
  }

  void read_list(const JsonObject& file) {
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

  void read_map(const JsonObject& file) {
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

  void read_names(const JsonObject& file, const char* key) {
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
  std::optional<std::int64_t> extra_ids_;
};

/// The pieces of a model behind four special ones, fairseq's.
Pieces fairseq_pieces(const Pieces& own) {
  Pieces pieces{"<s>", "<pad>", "</s>", "<unk>"};
  for (std::size_t id = 3; id < own.size(); ++id) pieces.push_back(own[id]);
  return pieces;
}

/// The last one first. count: as many as known, or as usual if there is room.
void add_sentinels(Pieces& pieces, std::optional<std::int64_t> count, std::int64_t vocabulary) {
  if (!count && std::ssize(pieces) + kSentinels > vocabulary) return;
  for (auto i = count.value_or(kSentinels) - 1; i >= 0; --i)
    pieces.push_back(fmt::format("<extra_id_{}>", i));
}

void add_languages(Pieces& pieces, const JsonObject& about) {
  if (std::ranges::find(pieces, "__en__") != pieces.end()) return;
  const auto codes = about.text("language_codes").value_or("");
  for (auto& token : language_tokens(codes)) pieces.push_back(std::move(token));
}

/// Up to the rows of the embedding.
void fill(Pieces& pieces, std::int64_t vocabulary, const fs::path& file) {
  if (std::ssize(pieces) > vocabulary)
    throw InputError(fmt::format("{}: expected at most {} tokens, the vocab_size of config.json, found {}",
                                 file.string(), vocabulary, pieces.size()));
  huggingface::add_unused_pieces(pieces, vocabulary);
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

std::shared_ptr<const data::Tokenizer> shared(data::Tokenizer tokenizer) {
  return std::make_shared<const data::Tokenizer>(std::move(tokenizer));
}

PieceNumbering read_vocab_json(const fs::path& file, const Config& config) {
  auto pieces = huggingface::read_pieces(JsonObject(file), config.vocabulary);
  fill(pieces, config.vocabulary, file);
  return numbered(pieces, config, file);
}

Vocabulary read_pairs(const fs::path& folder, const Config& config) {
  const auto file = folder / "vocab.json";
  auto numbering = read_vocab_json(file, config);
  const auto content =
      data::ByteLevelPairs::content_of(numbering.pieces, huggingface::read_merges(folder / "merges.txt"));
  const auto both = shared(data::Tokenizer::of_content(content, file));
  return {std::move(numbering), {both, both}};
}

Vocabulary read_marian_tokens(const fs::path& folder, const Config& config) {
  const auto file = folder / "vocab.json", source = folder / kSourceModel, target = folder / "target.spm";
  auto numbering = read_vocab_json(file, config);
  const auto of = [&](const fs::path& model) {
    return shared(data::Tokenizer(model, data::Vocabulary(numbering.pieces, file.string())));
  };
  const auto first = of(source);
  const auto second = read_file(source) == read_file(target) ? first : of(target);
  return {std::move(numbering), {first, second}};
}

/// The token of a source's language that the folder's tokenizer was saved with.
std::string language_in(const JsonObject& about, const Pieces& pieces) {
  const auto name = about.text("src_lang").value_or("");
  for (const auto& token : {"__" + name + "__", name})
    if (!name.empty() && std::ranges::find(pieces, token) != pieces.end()) return token;
  return {};
}

/// mBART's first version puts the token of the source's language behind its end.
void check_mbart(const fs::path& folder, const JsonObject& about) {
  const auto name = about.text("tokenizer_class").value_or("");
  if (!name.starts_with("MBart50Tokenizer"))
    throw InputError(
        fmt::format("{}: expected the tokenizer_class MBart50Tokenizer, whose sources begin with their "
                    "language, found '{}'",
                    (folder / kAbout).string(), name));
}

}  // namespace

Vocabulary read_vocabulary(const fs::path& folder, const Config& config) {
  if (has_marian_tokens(folder)) return read_marian_tokens(folder, config);
  if (config.family == Family::bart) return read_pairs(folder, config);
  const auto about = object_in(folder, kAbout);
  if (config.family == Family::mbart) check_mbart(folder, about);
  const AddedTokens added(folder, about, config.vocabulary);
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
  if (t5 && std::ranges::none_of(pieces, data::is_sentinel))
    add_sentinels(pieces, added.sentinels(), config.vocabulary);
  const auto file = numbered_apart ? json : model;
  added.add_to(pieces, file);
  if (numbered_apart) add_languages(pieces, about);
  fill(pieces, config.vocabulary, file);
  auto numbering = numbered(pieces, config, file);
  const auto& ours = numbering.pieces;
  const auto both =
      t5 ? shared(data::Tokenizer::of_content(
               data::renumbered_model(content, ours, data::ModelUse::encode, model.string()), model))
         : shared(data::Tokenizer(model, data::Vocabulary(ours, file.string())));
  auto language = t5 ? std::string() : language_in(about, ours);
  return {std::move(numbering), {both, both}, std::move(language)};
}

bool has_marian_tokens(const fs::path& folder) {
  return exists(folder / kSourceModel);
}

}  // namespace transformer::formats::seq2seq
