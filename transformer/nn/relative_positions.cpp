#include "transformer/nn/relative_positions.h"

#include <algorithm>
#include <vector>

#include "transformer/kernels/alibi.h"
#include "transformer/kernels/relative_bucket.h"
#include "transformer/ops/rotary.h"
#include "transformer/ops/tracing.h"

namespace transformer::nn {
namespace {

/// The bucket of each distance from -kFarthest to kFarthest.
torch::Tensor buckets(bool both_sides) {
  std::vector<std::int64_t> all;
  for (auto distance = -kernels::kFarthest; distance <= kernels::kFarthest; ++distance)
    all.push_back(kernels::relative_bucket(distance, both_sides));
  return torch::tensor(all);
}

/// Of each head: (H, 1, 1)
torch::Tensor slopes(std::int64_t heads) {
  std::vector<float> all;
  for (std::int64_t head = 0; head < heads; ++head)
    all.push_back(static_cast<float>(kernels::alibi_slope(head, heads)));
  return torch::tensor(all).view({heads, 1, 1});
}

}  // namespace

RelativePositionsImpl::RelativePositionsImpl(const RelativePositionsOptions& options) : options_(options) {
  if (about(options.positions).score_bias == ScoreBias::buckets)
    weight = register_parameter("weight", torch::zeros({kernels::kRelativeBuckets, options.heads}));
}

AttentionPositions RelativePositionsImpl::of(const torch::Tensor& x, const ops::AttentionMask& mask) {
  const auto places = [&] {  // of the longest sequence
    return mask.is_packed()
               ? torch::arange(std::int64_t{mask.queries->longest}, mask.queries->places.options())
               : ops::places_of(x.select(0, 0).select(-1, 0));
  };
  switch (where_enter(options_.positions)) {
    case PositionsEnter::embeddings:
    case PositionsEnter::layers:
    case PositionsEnter::nowhere:
      return {};
    case PositionsEnter::queries_and_keys: {
      const auto rotation = [&](const torch::Tensor& all) {
        return ops::rotation_at(all, options_.d_k, options_.rotary_base);
      };
      if (!mask.is_packed()) return {.rotation = rotation(places())};
      const auto& rows = mask.queries->places;
      return {
          .rotation =
              rotation(torch::arange(mask.queries->table_length(), rows.options())).index_select(1, rows)};
    }
    case PositionsEnter::scores: {
      const auto all = places();
      return {.bias = bias_of(all, all)};
    }
    case PositionsEnter::keys_and_values: {
      const auto all = places();
      return {.distances = distance_rows(all, all)};
    }
  }
  no_such_choice();
}

AttentionPositions RelativePositionsImpl::last(const torch::Tensor& position, const torch::Tensor& keys) {
  auto query = position.reshape({1});
  const auto before_and_here = [&] {
    if (!keys.defined()) return query;
    auto before = ops::places_of(keys.flatten(0, -3).select(0, 0).select(-1, 0));
    if (options_.window > 0)  // the last of them is the one before the query
      before = (before + (query - 1 - before.slice(0, -1))).slice(0, -options_.window);
    return torch::cat({before, query});
  };
  switch (where_enter(options_.positions)) {
    case PositionsEnter::embeddings:
    case PositionsEnter::layers:
    case PositionsEnter::nowhere:
      return {};
    case PositionsEnter::queries_and_keys:
      return {.rotation = ops::rotation_at(query, options_.d_k, options_.rotary_base)};
    case PositionsEnter::scores:
      return {.bias = bias_of(query, before_and_here())};
    case PositionsEnter::keys_and_values:
      return {.distances = distance_rows(query, before_and_here())};
  }
  no_such_choice();
}

AttentionPositions RelativePositionsImpl::steps(const torch::Tensor& positions) {
  switch (where_enter(options_.positions)) {
    case PositionsEnter::embeddings:
    case PositionsEnter::layers:
    case PositionsEnter::nowhere:
      return {};
    case PositionsEnter::queries_and_keys:
      return {.rotation = ops::rotation_at(positions, options_.d_k, options_.rotary_base)};
    case PositionsEnter::scores:
      return {.bias = bias_of(positions.slice(0, -1), positions)};
    case PositionsEnter::keys_and_values:
      TORCH_CHECK(false, "vectors of distances differ from step to step");
  }
  no_such_choice();
}

/// (T) and (S) → (T, S)
torch::Tensor RelativePositionsImpl::distance_rows(const torch::Tensor& queries,
                                                   const torch::Tensor& keys) const {
  const auto farthest = options_.farthest;
  return (keys.unsqueeze(0) - queries.unsqueeze(1)).clamp(-farthest, farthest) + farthest;
}

/// The bias for queries at some positions and keys at others: (T) and (S) → (H, T, S)
torch::Tensor RelativePositionsImpl::bias_of(const torch::Tensor& queries, const torch::Tensor& keys) {
  const auto distances = keys.unsqueeze(0) - queries.unsqueeze(1);  // (T, S)
  switch (about(options_.positions).score_bias.value()) {
    case ScoreBias::buckets: {
      constexpr auto farthest = kernels::kFarthest;
      const auto places = distances.clamp(-farthest, farthest) + farthest;
      const auto by_distance = weight.index_select(0, buckets(options_.both_sides).to(places));
      return torch::embedding(by_distance, places).permute({2, 0, 1}).contiguous();
    }
    case ScoreBias::slopes: {
      const auto apart = distances.abs().to(torch::kFloat);
      return slopes(options_.heads).to(apart) * -apart;
    }
  }
  no_such_choice();
}

}  // namespace transformer::nn
