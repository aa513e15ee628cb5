#include "transformer/formats/numbering.h"

#include <fmt/format.h>

#include <algorithm>

#include "transformer/base/special_tokens.h"

namespace transformer::formats {
namespace {

/// A name for a piece that none has yet.
std::string fresh_piece(const std::vector<std::string>& pieces) {
  std::string name = "<s>";
  while (std::ranges::find(pieces, name) != pieces.end()) name = fmt::format("<{}>", name);
  return name;
}

}  // namespace

std::optional<std::int64_t> own_begin(std::int64_t start, const std::array<std::int64_t, 3>& others) {
  return std::ranges::find(others, start) == others.end() ? std::optional(start) : std::nullopt;
}

PieceNumbering number_pieces(const std::vector<std::string>& pieces, const SpecialPieces& special) {
  PieceNumbering result;
  result.begin_is_copy = !special.begin;
  std::vector<bool> taken(pieces.size());
  const auto append = [&](std::int64_t id) {
    taken[static_cast<std::size_t>(id)] = true;
    result.theirs.push_back(id);
    result.pieces.push_back(pieces[static_cast<std::size_t>(id)]);
  };
  for (const auto id : {special.unknown, special.pad, special.begin.value_or(special.start), special.end})
    append(id);
  if (result.begin_is_copy) {
    result.pieces[kBos] = fresh_piece(pieces);
    // Of some other token, which is listed in its place.
    const std::array others{special.unknown, special.pad, special.end};
    if (std::ranges::find(others, special.start) == others.end())
      taken[static_cast<std::size_t>(special.start)] = false;
  }
  for (std::size_t id = 0; id < pieces.size(); ++id)
    if (!taken[id]) append(static_cast<std::int64_t>(id));
  return result;
}

torch::Tensor PieceNumbering::renumbered(const torch::Tensor& rows) const {
  return rows.index_select(0, torch::tensor(theirs));
}

torch::Tensor output_bias_of(const PieceNumbering& numbering, const torch::Tensor& theirs) {
  auto ours = numbering.renumbered(theirs);
  if (numbering.begin_is_copy) ours[kBos] = kNeverProduced;
  return ours.count_nonzero().item<std::int64_t>() == 0 ? torch::Tensor() : ours;
}

}  // namespace transformer::formats
