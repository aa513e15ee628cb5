// How far apart positions are: through how many layers the first one reaches the last.
#pragma once

#include "apps/bench/layers/layers.h"

namespace transformer::bench {

/// Which outputs of a layer change when these inputs do, by perturbing them. `changed` has a flag for each
/// position.
std::vector<bool> reach(const BuiltLayer& layer, const LayerShape& shape, const std::vector<bool>& changed);

/// The number of stacked layers after which a change of the first position has reached the last. Each layer
/// is built and runs twice: with and without a change at the positions that the layers below have changed. A
/// recurrence is one layer; for it this counts the steps of its cell that pass the change on. Throws RunError
/// if a stack never reaches the last position.
std::int64_t path_length(LayerKind kind, const LayerShape& shape);

}  // namespace transformer::bench
