// A batch of texts as tensors.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "transformer/data/batching.h"
#include "transformer/data/piece_links.h"
#include "transformer/models/model.h"

namespace transformer::tasks {

/// data::PieceLinks, (L) each.
struct LinkTensors {
  torch::Tensor sentences, targets, sources;
  torch::Tensor shares;  ///< fp32
};

/// A batch on the device that computes with it.
struct BatchTensors {
  models::Packed source;  ///< without rows in data of one text
  models::Packed target_input;
  /// (M), what is to be predicted at each of target_input's first M positions; what is behind them fills it
  /// up (data/filler.h).
  torch::Tensor labels;
  std::optional<LinkTensors> links = {};  ///< where a head learns them (guided_attention.h)
  /// On a device (T), of all positions of target_input: -1 where nothing is to be predicted; undefined where
  /// there are more labels than positions.
  torch::Tensor all_labels = {};
  torch::Tensor memory = {};  ///< of all of these but the links, whose places in it follow from their sizes
};

/// In one copy, from pinned memory where the device is not the CPU, so that the host need not wait for it.
BatchTensors to_device(const data::Batch& batch, const torch::Device& device);

/// On a device the numbers that decide all shapes of what is computed from the batch, if only attention sees
/// its longest sentences. Batches with equal ones have their parts at the same places of their memory.
std::vector<std::int64_t> shape_of(const BatchTensors& batch);
LinkTensors to_device(const data::PieceLinks& links, const torch::Device& device);

}  // namespace transformer::tasks
