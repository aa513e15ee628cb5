#include "transformer/data/byte_level_pairs.h"

#include <fmt/format.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "transformer/base/error.h"

namespace transformer::data {
namespace {

using nlohmann::json;

/// Reads the character at `at` and moves `at` behind it. What is no UTF-8 is negative.
UChar32 next_character(std::string_view text, std::size_t& at) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  UChar32 found = 0;
  U8_NEXT(bytes, at, text.size(), found);
  return found;
}

enum class CharacterKind { letter, number, blank, other };

CharacterKind kind_of(UChar32 c) {
  if (c < 0) return CharacterKind::other;
  const auto category = U_GET_GC_MASK(c);
  if ((category & U_GC_L_MASK) != 0) return CharacterKind::letter;
  if ((category & U_GC_N_MASK) != 0) return CharacterKind::number;
  return u_isUWhiteSpace(c) != 0 ? CharacterKind::blank : CharacterKind::other;
}

/// The end of the characters of one kind that begin at `at`; before the last of them in `last`.
std::size_t end_of_run(std::string_view text, std::size_t at, CharacterKind kind,
                       std::size_t* last = nullptr) {
  while (at < text.size()) {
    auto behind = at;
    if (kind_of(next_character(text, behind)) != kind) break;
    if (last != nullptr) *last = at;
    at = behind;
  }
  return at;
}

/// The size of the first match of GPT-2's expression, at the begin of the text:
/// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
std::size_t first_part(std::string_view text) {
  for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
    if (text.starts_with(ending)) return ending.size();
  const std::size_t front = text.starts_with(' ') ? 1 : 0;
  for (const auto kind : {CharacterKind::letter, CharacterKind::number, CharacterKind::other})
    if (const auto end = end_of_run(text, front, kind); end > front) return end;
  std::size_t last = 0;
  const auto end = end_of_run(text, 0, CharacterKind::blank, &last);
  return end == text.size() || last == 0 ? end : last;
}

/// GPT-2's character of each byte: itself where it can be seen, else one from 256 on.
const std::array<std::string, 256>& characters_of_bytes() {
  static const auto all = [] {
    std::array<std::string, 256> characters;
    int more = 256;
    for (int byte = 0; byte < 256; ++byte) {
      const bool seen = (byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173);
      const int c = seen ? byte : more++;
      auto& text = characters.at(static_cast<std::size_t>(byte));
      if (c >= 0x80) text += static_cast<char>(0xC0 | c >> 6);
      text += static_cast<char>(c < 0x80 ? c : 0x80 | (c & 0x3F));
    }
    return characters;
  }();
  return all;
}

json parsed(std::string_view content, const std::string& name) {
  auto found = json::parse(content, nullptr, /*allow_exceptions=*/false);
  const auto is_texts = [&](const char* key) {
    return found.is_object() && found.contains(key) && found[key].is_array() &&
           std::ranges::all_of(found[key], [](const json& value) { return value.is_string(); });
  };
  const bool begins = found.is_object() && found.contains("begin");
  if (!is_texts("pieces") || !is_texts("merges") || (begins && !found["begin"].is_string()))
    throw InputError(
        fmt::format("{}: expected the pieces and merges of a byte-level encoding, found other or "
                    "damaged content",
                    name));
  return found;
}

}  // namespace

ByteLevelPairs::Content::Content(std::string_view content, const std::string& name) {
  const auto found = parsed(content, name);
  pieces = found["pieces"].get<std::vector<std::string>>();
  merges = found["merges"].get<std::vector<std::string>>();
  begin = found.value("begin", "");
}

ByteLevelPairs::ByteLevelPairs(std::string_view content, const std::string& name)
    : ByteLevelPairs(Content(content, name), name) {}

ByteLevelPairs::ByteLevelPairs(Content content, const std::string& name)
    : vocabulary_(std::move(content.pieces), name, content.begin), merges_(std::move(content.merges)) {
  ranks_.reserve(merges_.size());
  for (std::size_t rank = 0; rank < merges_.size(); ++rank) ranks_.emplace(merges_[rank], rank);
}

std::string ByteLevelPairs::content_of(const std::vector<std::string>& pieces,
                                       const std::vector<std::string>& merges, const std::string& begin) {
  json content{{"pieces", pieces}, {"merges", merges}};
  if (!begin.empty()) content["begin"] = begin;
  return content.dump(0) + "\n";
}

std::vector<std::int32_t> ByteLevelPairs::encode(std::string_view text, std::size_t most) const {
  std::vector<std::int32_t> ids;
  while (!text.empty() && ids.size() <= most) {
    const auto size = first_part(text);
    append_part(text.substr(0, size), ids);
    text.remove_prefix(size);
  }
  return ids;
}

void ByteLevelPairs::append_part(std::string_view part, std::vector<std::int32_t>& ids) const {
  std::vector<std::string> symbols;
  for (const char byte : part) symbols.push_back(characters_of_bytes().at(static_cast<unsigned char>(byte)));
  const auto rank_of = [&](std::size_t i) {
    const auto found = ranks_.find(symbols[i] + " " + symbols[i + 1]);
    return found == ranks_.end() ? std::numeric_limits<std::size_t>::max() : found->second;
  };
  while (symbols.size() > 1) {
    auto lowest = std::numeric_limits<std::size_t>::max();
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) lowest = std::min(lowest, rank_of(i));
    if (lowest == std::numeric_limits<std::size_t>::max()) break;
    std::vector<std::string> joined;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      const bool joins = i + 1 < symbols.size() && rank_of(i) == lowest;
      joined.push_back(joins ? symbols[i] + symbols[i + 1] : symbols[i]);
      if (joins) ++i;
    }
    symbols = std::move(joined);
  }
  for (const auto& symbol : symbols) ids.push_back(vocabulary_.id_of(symbol));
}

std::string ByteLevelPairs::bytes_of(std::int32_t id) const {
  static const auto bytes = [] {
    std::unordered_map<std::string_view, char> all;
    for (std::size_t byte = 0; byte < 256; ++byte)
      all.emplace(characters_of_bytes().at(byte), static_cast<char>(byte));
    return all;
  }();
  const std::string_view piece = vocabulary_.pieces()[static_cast<std::size_t>(id)];
  std::string result;
  for (std::size_t at = 0, begin = 0; begin < piece.size(); begin = at) {
    next_character(piece, at);
    const auto character = piece.substr(begin, at - begin);
    const auto found = bytes.find(character);
    found == bytes.end() ? void(result.append(character)) : result.push_back(found->second);
  }
  return result;
}

std::string as_utf8(std::string_view bytes) {
  std::string result;
  for (std::size_t at = 0, begin = 0; begin < bytes.size(); begin = at)
    result.append(next_character(bytes, at) < 0 ? std::string_view("\uFFFD")
                                                : bytes.substr(begin, at - begin));
  return result;
}

}  // namespace transformer::data
