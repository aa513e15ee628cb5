// How many updates some epochs come to (train.epochs).
#pragma once

#include <cstdint>

#include "transformer/config/experiment.h"
#include "transformer/data/batching.h"

namespace transformer::train {

/// What an epoch is planned with; train.micro_tokens is the number that is the same on every device where it
/// is auto.
data::BatchLimits limits_of(const TrainOptions& options);

/// The limits for the plans of a model with such norms. If a batch shares statistics, an update is one
/// micro-batch.
data::BatchLimits planned_limits(data::BatchLimits limits, nn::NormKind norm);

/// Updates in the plans of so many epochs, from the first. An epoch of some hundred thousand pairs takes a
/// tenth of a second or more. block: the length of the documents' blocks (data/blocks.h), or 0.
std::int64_t count_updates(const data::Dataset& data, std::int64_t block, const data::BatchLimits& limits,
                           std::int64_t seed, std::int64_t epochs, const data::EpochShares& shares = {});

/// The experiment with train.steps in the place of train.epochs, where this has a number: the updates of so
/// many epochs of the prepared training data. Throws InputError where the data are not prepared, and for
/// what contradicts the number that is found.
config::Experiment with_steps(config::Experiment experiment);

}  // namespace transformer::train
