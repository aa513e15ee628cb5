#include "transformer/train/shares.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace transformer::train {
namespace {

using MicroBatch = Examples::MicroBatch;
using Update = Examples::Update;

std::int64_t tokens_of(const Examples& examples, const MicroBatch& micro_batch) {
  const auto size = examples.size_of(micro_batch);
  return size.source_tokens + size.target_tokens;
}

struct Share {
  Update micro_batches;
  std::int64_t tokens = 0;
};

/// To the process that has the least so far, of those that have room for one more.
void give(std::vector<Share>& shares, const MicroBatch& micro_batch, std::int64_t tokens, std::size_t room) {
  Share* least = nullptr;
  for (auto& share : shares)
    if (share.micro_batches.size() < room && (!least || share.tokens < least->tokens)) least = &share;
  least->micro_batches.push_back(micro_batch);
  least->tokens += tokens;
}

/// Cuts the micro-batches so that each share comes to its part of all tokens: one behind the other the shares
/// take examples, the first until it has its part, and so on.
void fill(std::vector<Share>& shares, const Examples& examples, const Update& rest, std::int64_t all_tokens) {
  const auto count = static_cast<std::int64_t>(shares.size());
  std::size_t current = 0;
  std::int64_t before = 0;  // tokens of the shares in front of the current one
  for (const auto& micro_batch : rest) {
    MicroBatch piece;
    const auto close = [&] {
      if (!piece.empty()) shares[current].micro_batches.push_back(std::exchange(piece, {}));
    };
    for (const auto example : micro_batch) {
      const auto tokens = tokens_of(examples, {example});
      // An example goes where its middle falls. Rounding is added up, so that the last share is no other.
      while (static_cast<std::int64_t>(current) + 1 < count &&
             (2 * (before + shares[current].tokens) + tokens) * count >
                 2 * all_tokens * (static_cast<std::int64_t>(current) + 1)) {
        close();
        before += shares[current++].tokens;
      }
      piece.push_back(example);
      shares[current].tokens += tokens;
    }
    close();
  }
}

}  // namespace

std::vector<Update> share_out(const Examples& examples, const Update& update, std::int64_t processes) {
  std::vector<std::int64_t> tokens;
  for (const auto& micro_batch : update) tokens.push_back(tokens_of(examples, micro_batch));
  const auto all_tokens = std::accumulate(tokens.begin(), tokens.end(), std::int64_t{0});
  std::vector<std::size_t> order(update.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return tokens[i]; });
  const auto left_of = [&](std::size_t each) {
    return update.size() - each * static_cast<std::size_t>(processes);
  };
  const auto whole_ones = [&](std::size_t each) {
    std::vector<Share> shares(static_cast<std::size_t>(processes));
    for (auto i = left_of(each); i < order.size(); ++i)
      give(shares, update[order[i]], tokens[order[i]], each);
    return shares;
  };
  const auto exceeds_part = [&](const Share& share) { return share.tokens * processes > all_tokens; };
  // At least one is left to be cut, and as many as it takes that nobody has more than its part without them.
  auto each = update.empty() ? 0 : (update.size() - 1) / static_cast<std::size_t>(processes);
  auto shares = whole_ones(each);
  while (std::ranges::any_of(shares, exceeds_part)) shares = whole_ones(--each);
  Update rest;
  rest.reserve(left_of(each));
  for (std::size_t i = 0; i < left_of(each); ++i) rest.push_back(update[order[i]]);
  fill(shares, examples, rest, all_tokens);
  std::vector<Update> updates;
  for (auto& share : shares) updates.push_back(std::move(share.micro_batches));
  return updates;
}

}  // namespace transformer::train
