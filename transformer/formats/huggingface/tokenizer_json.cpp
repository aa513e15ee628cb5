#include "transformer/formats/huggingface/tokenizer_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/printable.h"
#include "transformer/base/text_file.h"

namespace transformer::formats::huggingface {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

bool is_merge(const std::string& line) {
  return std::ranges::count(line, ' ') == 1 && !line.starts_with(' ') && !line.ends_with(' ');
}

/// Pieces of an object that maps them to ids. refuse(expected, found)
template <typename Refuse>
std::vector<std::string> pieces_by_id(const json& ids, std::int64_t size, const Refuse& refuse) {
  std::vector<std::string> pieces;
  std::vector<bool> taken;
  for (const auto& [piece, id] : ids.items()) {
    if (!id.is_number_integer() || id < 0 || id >= size)
      refuse(piece, fmt::format("a whole number from 0 to {}", size - 1));
    const auto place = id.template get<std::size_t>();
    pieces.resize(std::max(pieces.size(), place + 1));
    taken.resize(pieces.size());
    if (taken[place]) refuse(piece, fmt::format("an id for one piece, as '{}' has it", pieces[place]));
    taken[place] = true;
    pieces[place] = piece;
  }
  for (std::size_t id = 0; id < pieces.size(); ++id)
    if (!taken[id]) pieces[id] = unused_piece(static_cast<std::int64_t>(id));
  return pieces;
}

/// A section of the file, {"type": …} or null.
class Section {
 public:
  Section(const JsonObject& file, const char* key) : file_(file), key_(key), content_(file.find(key)) {}

  /// Throws unless the section is one of this type.
  void expect(const char* type) const {
    if (content_ == nullptr || !content_->is_object() || value("type") != type)
      refuse(fmt::format("the type {}", type));
  }
  /// Throws unless the key is absent, null or this value.
  void expect(const char* key, const json& wanted) const {
    if (const auto found = value(key); !found.is_null() && found != wanted)
      refuse(fmt::format("{} as '{}'", wanted.dump(), key));
  }
  json value(const char* key) const {
    return content_ != nullptr && content_->is_object() ? content_->value(key, json()) : json();
  }
  bool boolean(const char* key, bool otherwise) const {
    const auto found = value(key);
    if (found.is_null()) return otherwise;
    if (!found.is_boolean()) refuse(fmt::format("true or false as '{}'", key));
    return found.get<bool>();
  }
  [[noreturn]] void refuse(const std::string& expected) const { file_.refuse(key_, expected); }

 private:
  const JsonObject& file_;
  const char* key_;
  const json* content_;
};

data::WordPieceOptions read_normalizer(const JsonObject& file) {
  const Section normalizer(file, "normalizer"), before(file, "pre_tokenizer"), model(file, "model");
  normalizer.expect("BertNormalizer");
  before.expect("BertPreTokenizer");
  normalizer.expect("clean_text", true);
  model.expect("continuing_subword_prefix", "##");
  model.expect("max_input_chars_per_word", 100);
  data::WordPieceOptions options;
  options.lower_case = normalizer.boolean("lowercase", true);
  options.strip_accents = normalizer.boolean("strip_accents", options.lower_case);
  options.chinese_characters = normalizer.boolean("handle_chinese_chars", true);
  return options;
}

/// Of "a b" or ["a", "b"].
std::vector<std::string> merges_in(const Section& model) {
  const auto found = model.value("merges");
  const std::string expected = "a list of pairs as 'merges'";
  if (!found.is_array()) model.refuse(expected);
  std::vector<std::string> merges;
  for (const auto& pair : found) {
    const bool two = pair.is_array() && pair.size() == 2 && pair[0].is_string() && pair[1].is_string();
    if (!two && !pair.is_string()) model.refuse(expected);
    merges.push_back(two ? pair[0].get<std::string>() + " " + pair[1].get<std::string>()
                         : pair.get<std::string>());
    if (!is_merge(merges.back())) model.refuse(expected);
  }
  return merges;
}

void check_pairs(const JsonObject& file) {
  const Section normalizer(file, "normalizer"), before(file, "pre_tokenizer"), model(file, "model");
  if (file.find("normalizer") != nullptr) normalizer.refuse("nothing beside pairs of bytes");
  before.expect("ByteLevel");
  before.expect("add_prefix_space", false);
  before.expect("use_regex", true);
  model.expect("continuing_subword_prefix", "");
  model.expect("end_of_word_suffix", "");
  model.expect("byte_fallback", false);
  model.expect("ignore_merges", false);
}

/// Tokens that the model's own list may lack, such as the mask.
void append_added(const JsonObject& file, std::int64_t size, std::vector<std::string>& pieces) {
  const auto* added = file.find("added_tokens");
  if (added == nullptr) return;
  const auto refuse = [&] {
    file.refuse("added_tokens", fmt::format("a list of tokens with ids below {} and content", size));
  };
  if (!added->is_array()) refuse();
  for (const auto& token : *added) {
    if (!token.is_object() || !token.contains("id") || !token.contains("content")) refuse();
    const auto &id = token["id"], &content = token["content"];
    if (!id.is_number_integer() || id < 0 || id >= size || !content.is_string()) refuse();
    const auto place = id.get<std::size_t>();
    add_unused_pieces(pieces, id.get<std::int64_t>() + 1);
    if (const auto name = content.get<std::string>(); pieces[place] != name) {
      if (pieces[place] != unused_piece(id.get<std::int64_t>())) refuse();
      pieces[place] = name;
    }
  }
}

}  // namespace

TokenizerJson::TokenizerJson(const fs::path& path, std::int64_t size) {
  const JsonObject file(path);
  const Section model(file, "model");
  const auto type = model.value("type");
  if (type == "WordPiece") {
    word_pieces = read_normalizer(file);
  } else if (type == "BPE") {
    check_pairs(file);
    merges = merges_in(model);
  } else {
    file.refuse("model", "the type WordPiece or BPE (a SentencePiece model is in a file of its own)");
  }
  const auto ids = model.value("vocab");
  if (!ids.is_object()) model.refuse("an object of ids as 'vocab'");
  pieces = pieces_by_id(ids, size, [&](const std::string& piece, const std::string& expected) {
    throw InputError(fmt::format("{}: key 'model': vocab: '{}': expected {}, found another", path.string(),
                                 printable(piece), expected));
  });
  append_added(file, size, pieces);
}

std::vector<std::string> read_pieces(const JsonObject& vocabulary, std::int64_t size) {
  return pieces_by_id(vocabulary.content(), size, [&](const std::string& piece, const std::string& expected) {
    vocabulary.refuse(piece, expected);
  });
}

std::vector<std::string> read_merges(const fs::path& file) {
  auto lines = read_lines(file.string());
  std::erase_if(lines, [](const auto& line) { return line.empty() || line.starts_with("#version"); });
  for (const auto& line : lines)
    if (!is_merge(line))
      throw InputError(
          fmt::format("{}: expected two pieces in each line, found '{}'", file.string(), printable(line)));
  return lines;
}

std::string unused_piece(std::int64_t id) {
  return fmt::format("<unused{}>", id);
}

void add_unused_pieces(std::vector<std::string>& pieces, std::int64_t size) {
  while (std::ssize(pieces) < size) pieces.push_back(unused_piece(std::ssize(pieces)));
}

void write_pieces(const fs::path& file, const std::vector<std::string>& pieces) {
  nlohmann::ordered_json ids = nlohmann::ordered_json::object();
  // By hand, as insertion into an ordered object looks through all that is there.
  auto& object = ids.get_ref<nlohmann::ordered_json::object_t&>();
  std::int64_t id = 0;
  for (const auto& piece : pieces) object.emplace_back(piece, id++);
  write_file_atomically(file, ids.dump(0) + "\n");
}

void write_merges(const fs::path& file, const std::vector<std::string>& merges) {
  std::string lines = "#version: 0.2\n";
  for (const auto& merge : merges) lines += merge + "\n";
  write_file_atomically(file, lines);
}

}  // namespace transformer::formats::huggingface
