// How far apart positions are: through how many layers the first one reaches the last.
#pragma once

#include "apps/bench/layers/layers.h"

namespace transformer::bench {

/// Which outputs of a layer change when these inputs do, by perturbing them. `changed` has a flag for each
/// position.
std::vector<bool> reach(const BuiltLayer& layer, const LayerShape& shape, const std::vector<bool>& changed);

/// Layers of a stack until the first position has changed the last one: each layer is built, and given the
/// input with and without a change of what the layers below have changed. Of a recurrence, which is one
/// layer: steps of its cell that hand the change on, one after another. Throws RunError where a stack does
/// not reach the last position.
std::int64_t path_length(LayerKind kind, const LayerShape& shape);

}  // namespace transformer::bench
