#include "transformer/train/first_epoch.h"

namespace transformer::train {

FirstEpoch::FirstEpoch(const Objective& objective, std::int64_t seed) {
  const auto epoch = objective.epoch(static_cast<std::uint64_t>(seed), 0);
  examples = epoch.examples;
  micro_batches = epoch.plan.micro_batches();
  updates = static_cast<double>(epoch.plan.size());
  for (const auto& micro_batch : micro_batches) {
    const auto size = examples->size_of(micro_batch);
    source_tokens += static_cast<double>(size.source_tokens);
    target_tokens += static_cast<double>(size.target_tokens);
    if (size.padded_tokens() <= largest_size.padded_tokens()) continue;
    largest_size = size;
    largest = micro_batch;
  }
}

}  // namespace transformer::train
