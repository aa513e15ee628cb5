#include "transformer/data/filler.h"

#include <algorithm>
#include <bit>

namespace transformer::data {
namespace {

std::int64_t step_of(std::int64_t tokens) {
  constexpr std::int64_t steps = 16, least = 8;
  const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(tokens)));
  return std::max(power / steps, least);
}

/// How many tokens a side lacks, and how long a sentence of it may be.
struct Side {
  std::int64_t missing, longest;

  std::int64_t sentences() const { return missing == 0 ? 0 : (missing + longest - 1) / longest; }
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
  const auto step = step_of(std::max<std::int64_t>(tokens, 1));
  return (tokens + step - 1) / step * step;
}

void fill_up(Batch& batch) {
  const auto own_source = std::ssize(batch.source), own_target = std::ssize(batch.target_input);
  if (own_target == 0) return;  // nothing is predicted
  const bool one_text = own_source == 0;
  auto source = one_text ? 0 : recurring(own_source), target = recurring(own_target);
  while (true) {
    const Side from{source - own_source, batch.source_length}, to{target - own_target, batch.target_length};
    const auto pairs = std::max(from.sentences(), to.sentences());
    if (from.missing < pairs && !one_text) {
      source = recurring(source + 1);
    } else if (to.missing < pairs) {
      target = recurring(target + 1);
    } else {
      append_tokens(batch.source, from.missing);
      append_tokens(batch.target_input, to.missing);
      append_offsets(batch.source_offsets, pairs, from.missing);
      append_offsets(batch.target_offsets, pairs, to.missing);
      return;
    }
  }
}

}  // namespace transformer::data
