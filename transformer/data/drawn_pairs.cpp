#include "transformer/data/drawn_pairs.h"

#include "transformer/base/random.h"

namespace transformer::data {

DrawnPairs::DrawnPairs(const Dataset& data, std::shared_ptr<const PairDropout> dropout, std::uint64_t seed,
                       std::optional<std::int64_t> longest)
    : data_(data), dropout_(std::move(dropout)), seed_(seed), longest_(longest) {
  const auto length = [](Ids ids) { return static_cast<std::int32_t>(ids.size() + 1); };
  BpeDropout::Workspace workspace;
  lengths_.reserve(static_cast<std::size_t>(data.size()));
  for (std::int64_t i = 0; i < data.size(); ++i) {
    const auto source_length = length(source(i, workspace));
    lengths_.push_back({source_length, length(target(i, workspace))});
  }
}

DrawnPairs::Ids DrawnPairs::source(std::int64_t i, BpeDropout::Workspace& workspace) const {
  return draw(dropout_->source, data_.source(i), mix(mix(seed_, i), 0), workspace);
}

DrawnPairs::Ids DrawnPairs::target(std::int64_t i, BpeDropout::Workspace& workspace) const {
  return draw(dropout_->target, data_.target(i), mix(mix(seed_, i), 1), workspace);
}

DrawnPairs::Ids DrawnPairs::draw(const BpeDropout& dropout, Ids ids, std::uint64_t seed,
                                 BpeDropout::Workspace& workspace) const {
  const auto drawn = dropout.draw(ids, seed, workspace);
  return longest_ && std::ssize(drawn) + 1 > *longest_ ? ids : drawn;
}

Tokens<std::int64_t> DrawnPairs::length(std::int64_t i) const {
  const auto& [source, target] = lengths_.at(static_cast<std::size_t>(i));
  return {source, target};
}

Batch DrawnPairs::make_batch(std::span<const std::int64_t> indices) const {
  BpeDropout::Workspace workspace;
  Sentences sources, targets;
  for (const auto i : indices) {
    sources.add(source(i, workspace));
    targets.add(target(i, workspace));
  }
  return data::make_batch(sources, targets, indices);
}

}  // namespace transformer::data
