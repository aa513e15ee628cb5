#include "transformer/data/filler.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace transformer::data {
namespace {

/// The least multiple of a step that is at least so large: of 8, or of the power of two below by so many
/// steps.
std::int64_t rounded_up(std::int64_t number, std::int64_t steps) {
  constexpr std::int64_t least = 8;
  const auto power = static_cast<std::int64_t>(
      std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(number, 1))));
  const auto step = std::max(power / steps, least);
  return (std::max<std::int64_t>(number, 1) + step - 1) / step * step;
}

/// A side's own tokens, and how long a sentence of it may be.
struct Side {
  std::int64_t own, longest;

  /// The tokens that it lacks if so many sentences come to it, each with one at least. Nothing: these could
  /// not hold them.
  std::optional<std::int64_t> missing(std::int64_t sentences) const {
    if (own == 0) return 0;  // a batch of one text has none here
    const auto lacks = recurring(own + sentences) - own;
    return lacks <= sentences * longest ? std::optional(lacks) : std::nullopt;
  }
};

void append_tokens(std::vector<std::int64_t>& ids, std::int64_t count) {
  const auto own = ids.size();
  for (std::int64_t i = 0; i < count; ++i) ids.push_back(ids[static_cast<std::size_t>(i) % own]);
}

/// Of sentences that are about equally long.
void append_offsets(std::vector<std::int64_t>& offsets, std::int64_t sentences, std::int64_t tokens) {
  const auto end = offsets.back();
  for (std::int64_t i = 1; i <= sentences; ++i) offsets.push_back(end + tokens * i / sentences);
}

}  // namespace

std::int64_t recurring(std::int64_t tokens) {
  return rounded_up(tokens, 16);
}

std::int64_t recurring_examples(std::int64_t examples) {
  return rounded_up(examples, 4);
}

void fill_up(Batch& batch) {
  const Side source{std::ssize(batch.source), batch.source_length},
      target{std::ssize(batch.target_input), batch.target_length};
  if (target.own == 0) return;  // nothing is predicted
  const auto own = std::ssize(batch.target_offsets) - 1;
  for (auto sentences = recurring_examples(own);; sentences = recurring_examples(sentences + 1)) {
    const auto further = sentences - own;
    const auto from = source.missing(further), to = target.missing(further);
    if (!from || !to) continue;
    append_tokens(batch.source, *from);
    append_tokens(batch.target_input, *to);
    append_offsets(batch.source_offsets, further, *from);
    append_offsets(batch.target_offsets, further, *to);
    return;
  }
}

}  // namespace transformer::data
