// A vocabulary of another program in the numbering of special_tokens.h.
#pragma once

#include <torch/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace transformer::formats {

/// Our ids of one vocabulary: unknown, padding, begin, end, then the others in their order.
struct PieceNumbering {
  std::vector<std::int64_t> theirs;  ///< the id of each of ours
  std::vector<std::string> pieces;   ///< of each of ours
  bool begin_is_copy = false;        ///< our begin has no id of its own there, but doubles another's row

  std::int64_t size() const { return static_cast<std::int64_t>(theirs.size()); }

  /// Rows by their ids (V, …) → by ours.
  torch::Tensor renumbered(const torch::Tensor& rows) const;
};

/// Ids of another program's vocabulary.
struct SpecialPieces {
  std::int64_t unknown, pad, end;
  std::optional<std::int64_t> begin;  ///< nothing: of its own, with the row of `start`
  std::int64_t start;
};

/// The id that begins outputs, if it does nothing else.
std::optional<std::int64_t> own_begin(std::int64_t start, const std::array<std::int64_t, 3>& others);

/// pieces: by their ids
PieceNumbering number_pieces(const std::vector<std::string>& pieces, const SpecialPieces& special);

/// What makes a token impossible, exactly: its exponential is zero. Added to its logit.
inline constexpr float kNeverProduced = -1e4F;

/// The bias of logits (V) in our numbering, if `theirs` is not all zeros, or if our begin is a copy, which
/// must not be produced. Otherwise an undefined tensor.
torch::Tensor output_bias_of(const PieceNumbering& numbering, const torch::Tensor& theirs);

}  // namespace transformer::formats
