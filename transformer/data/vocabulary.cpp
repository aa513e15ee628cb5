#include "transformer/data/vocabulary.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/base/text_file.h"

namespace transformer::data {
Vocabulary::Content Vocabulary::read(const std::filesystem::path& file) {
  const auto json = nlohmann::json::parse(read_file(file), nullptr, /*allow_exceptions=*/false);
  const auto expect = [&](bool holds) {
    if (!holds)
      throw InputError(
          fmt::format("{}: expected a JSON list of strings, or an object of 'begin', a string, and 'pieces', "
                      "such a list, "
                      "found other or damaged content",
                      file.string()));
  };
  Content content;
  if (json.is_object()) {
    expect(json.size() == 2 && json.contains("begin") && json.contains("pieces") &&
           json["begin"].is_string());
    content.begin = json["begin"].get<std::string>();
  }
  const auto& list = json.is_object() ? json["pieces"] : json;
  expect(list.is_array());
  for (const auto& piece : list) {
    expect(piece.is_string());
    content.pieces.push_back(piece.get<std::string>());
  }
  return content;
}

Vocabulary::Vocabulary(std::vector<std::string> pieces, const std::string& source, const std::string& begin)
    : pieces_(std::move(pieces)) {
  if (pieces_.size() <= kEos)
    throw InputError(fmt::format("{}: expected {} special pieces and others, found {} pieces", source,
                                 kEos + 1, pieces_.size()));
  ids_.reserve(pieces_.size());
  for (const auto& piece : pieces_) {
    if (!ids_.emplace(piece, static_cast<std::int32_t>(ids_.size())).second)
      throw InputError(fmt::format("{}: expected different pieces, found '{}' twice", source, piece));
  }
  if (begin.empty()) return;
  begin_ = id_of(begin);
  if (begin_ == kUnknown)
    throw InputError(
        fmt::format("{}: expected a piece '{}' for texts to begin with, found none", source, begin));
}

Vocabulary::Vocabulary(const std::filesystem::path& file) : Vocabulary(read(file), file.string()) {}

std::int32_t Vocabulary::id_of(std::string_view piece) const {
  const auto found = ids_.find(piece);
  return found == ids_.end() || found->second <= kEos ? kUnknown : found->second;
}

void Vocabulary::save(const std::filesystem::path& file) const {
  nlohmann::json content = pieces_;
  if (begin_ != kUnknown)
    content = {{"begin", pieces_[static_cast<std::size_t>(begin_)]}, {"pieces", std::move(content)}};
  write_file_atomically(file, content.dump(0) + "\n");
}

}  // namespace transformer::data
