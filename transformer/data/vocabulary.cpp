#include "transformer/data/vocabulary.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/base/text_file.h"

namespace transformer::data {
namespace {

std::vector<std::string> read_pieces(const std::filesystem::path& file) {
  const auto json = nlohmann::json::parse(read_file(file), nullptr, /*allow_exceptions=*/false);
  std::vector<std::string> pieces;
  if (json.is_array()) {
    for (const auto& piece : json)
      if (piece.is_string()) pieces.push_back(piece.get<std::string>());
  }
  if (!json.is_array() || pieces.size() != json.size())
    throw InputError(
        fmt::format("{}: expected a JSON list of strings, found other or damaged content", file.string()));
  return pieces;
}

}  // namespace

Vocabulary::Vocabulary(std::vector<std::string> pieces, const std::string& source)
    : pieces_(std::move(pieces)) {
  if (pieces_.size() <= kEos)
    throw InputError(fmt::format("{}: expected {} special pieces and others, found {} pieces", source,
                                 kEos + 1, pieces_.size()));
  ids_.reserve(pieces_.size());
  for (const auto& piece : pieces_) {
    if (!ids_.emplace(piece, static_cast<std::int32_t>(ids_.size())).second)
      throw InputError(fmt::format("{}: expected different pieces, found '{}' twice", source, piece));
  }
}

Vocabulary::Vocabulary(const std::filesystem::path& file) : Vocabulary(read_pieces(file), file.string()) {}

std::int32_t Vocabulary::id_of(std::string_view piece) const {
  const auto found = ids_.find(piece);
  return found == ids_.end() || found->second <= kEos ? kUnknown : found->second;
}

void Vocabulary::save(const std::filesystem::path& file) const {
  write_file_atomically(file, nlohmann::json(pieces_).dump(0) + "\n");
}

}  // namespace transformer::data
