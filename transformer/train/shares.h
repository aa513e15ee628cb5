// How an update is divided among the processes that make it together.
#pragma once

#include <cstdint>
#include <vector>

#include "transformer/train/task.h"

namespace transformer::train {

/// The micro-batches of each process: together the update's examples, each once, with equally many tokens for
/// each, but for one example's. Most micro-batches stay as they are; the largest, which are left when each
/// process has as many as the others, are cut so that all come to the same number of tokens. Where there are
/// fewer examples than processes, some get none. A function of its arguments alone.
std::vector<Examples::Update> share_out(const Examples& examples, const Examples::Update& update,
                                        std::int64_t processes);

}  // namespace transformer::train
