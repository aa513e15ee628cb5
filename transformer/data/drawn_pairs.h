// Sentence pairs whose subwords are drawn again in each epoch (data.bpe_dropout).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "transformer/data/bpe_dropout.h"
#include "transformer/data/dataset.h"
#include "transformer/data/examples.h"

namespace transformer::data {

/// For both sides of a data set.
struct PairDropout {
  BpeDropout source, target;
};

/// The pairs of a data set as they are in one epoch: a pure function of data, dropout and the epoch's seed.
/// Only lengths are kept, whatever the size of the data set. Ids are drawn again for each use.
class DrawnPairs : public ExampleSource {
 public:
  /// The data set, which has two sides, is used as long as this lives. A sentence that would have more than
  /// `longest` tokens, its end counted, stays as it is in this epoch.
  DrawnPairs(const Dataset& data, std::shared_ptr<const PairDropout> dropout, std::uint64_t seed,
             std::optional<std::int64_t> longest = std::nullopt);

  std::int64_t size() const override { return std::ssize(lengths_); }
  Tokens<std::int64_t> length(std::int64_t i) const override;
  Batch make_batch(std::span<const std::int64_t> indices) const override;

 private:
  using Ids = std::span<const std::int32_t>;  ///< valid until the workspace's next use

  Ids source(std::int64_t i, BpeDropout::Workspace& workspace) const;
  Ids target(std::int64_t i, BpeDropout::Workspace& workspace) const;
  Ids draw(const BpeDropout& dropout, Ids ids, std::uint64_t seed, BpeDropout::Workspace& workspace) const;

  const Dataset& data_;
  std::shared_ptr<const PairDropout> dropout_;
  std::uint64_t seed_;
  std::optional<std::int64_t> longest_;
  std::vector<Length> lengths_;
};

}  // namespace transformer::data
