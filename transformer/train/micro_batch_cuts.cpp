#include "transformer/train/micro_batch_cuts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "transformer/base/error.h"

namespace transformer::train {

Examples::Update cut(const Examples::Update& update, std::int64_t parts) {
  Examples::Update pieces;
  for (const auto& micro_batch : update) {
    const auto size = std::ssize(micro_batch);
    for (std::int64_t part = 0; part < parts; ++part) {
      const auto begin = micro_batch.begin() + size * part / parts,
                 end = micro_batch.begin() + size * (part + 1) / parts;
      if (begin != end) pieces.emplace_back(begin, end);
    }
  }
  return pieces;
}

std::string largest_shape(const Examples& examples, const Examples::Update& update) {
  std::int64_t most = -1;
  std::string shape;
  for (const auto& micro_batch : update) {
    const auto batch = examples.size_of(micro_batch);
    if (batch.padded_tokens() <= most) continue;
    most = batch.padded_tokens();
    shape = batch.source_length == 0 ? fmt::format("{} × {} tokens", batch.rows, batch.target_length)
                                     : fmt::format("{} × ({} source and {} target tokens)", batch.rows,
                                                   batch.source_length, batch.target_length);
  }
  return shape;
}

void check_can_be_cut(const Objective& objective, const Examples& examples, const Examples::Update& update) {
  if (const auto whole = objective.takes_whole_updates())
    throw RunError(
        fmt::format("out of memory with a batch of {}, which {} does not let be cut: a smaller update "
                    "(train.source_tokens, train.target_tokens), or a smaller model, is needed",
                    largest_shape(examples, update), *whole));
  if (std::ranges::all_of(update, [](const auto& piece) { return piece.size() == 1; }))
    throw RunError(fmt::format(
        "out of memory with a batch of {}: a smaller model, or a smaller data.max_tokens, is needed",
        largest_shape(examples, update)));
}

}  // namespace transformer::train
