// How often an epoch has the examples of several training texts.
#pragma once

#include <cstdint>
#include <vector>

#include "transformer/data/options.h"

namespace transformer::data {

/// The examples of one training text, which stand behind those of the text before it.
struct EpochShare {
  std::int64_t end = 0;  ///< the number of the first example that is not its own
  double weight = 1;
};

/// In the order of the texts. Empty: an epoch has each example once.
using EpochShares = std::vector<EpochShare>;

/// The shares by data.weights. kept: the number of examples of each text. Throws InputError if there are not
/// as many texts as weights.
EpochShares epoch_shares(const DataOptions& options, const std::vector<std::int64_t>& kept);

/// The numbers of an epoch's examples, ascending; a number stands there once for each time. An example of
/// weight w comes floor((e + 1) w + u) - floor(e w + u) times in epoch e, which counts from 0. Its u is a
/// hash of the seed and the example, from 0 to 1. So over E epochs it comes E w times, rounded up or down, as
/// evenly as whole numbers allow: with weight 0.1 once in ten epochs. Throws InputError if an epoch would be
/// empty.
std::vector<std::int64_t> examples_of_epoch(std::int64_t count, const EpochShares& shares, std::uint64_t seed,
                                            std::int64_t epoch);

}  // namespace transformer::data
