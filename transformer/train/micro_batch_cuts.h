// Micro-batches cut smaller, where memory is too short for them.
#pragma once

#include <cstdint>
#include <string>

#include "transformer/train/task.h"

namespace transformer::train {

/// The micro-batches, each cut into at most `parts` pieces of about equally many examples.
Examples::Update cut(const Examples::Update& update, std::int64_t parts);

/// Describes the micro-batch with the most padded tokens: "64 × (31 source and 40 target tokens)". If the
/// examples have one side: "64 × 40 tokens".
std::string largest_shape(const Examples& examples, const Examples::Update& update);

/// Throws RunError where these micro-batches, for which memory was too short, cannot be cut further.
void check_can_be_cut(const Objective& objective, const Examples& examples, const Examples::Update& update);

}  // namespace transformer::train
