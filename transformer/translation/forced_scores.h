// How probable a model finds translations that are given to it (forced decoding).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "transformer/eval/types.h"
#include "transformer/models/model.h"
#include "transformer/translation/forced_batches.h"

namespace transformer::translation {

/// The most tokens, without the end, that either side of a pair may have: what translate() may read and
/// write at most; with learned positions max_positions - 1, because the begin or the end token takes one.
std::int64_t longest_forced(const models::ModelOptions& options);

/// For each pair log P(token | source, the target's tokens before it), natural logarithms, of each token of
/// the target, its end token's last; their sum is log P(target | source). As in translate(), probabilities
/// are over the whole vocabulary. The decoder reads whole targets at once, in the precision of the model's
/// weights or of a surrounding runtime::PrecisionScope, in evaluation mode; pairs of like length are computed
/// together, at most `batch_tokens` padded tokens of either side (a longer pair stands alone). progress,
/// where given, is called after each batch with the number of pairs so far. Throws InputError for a pair that
/// is longer than learned positions allow.
std::vector<std::vector<float>> forced_scores(const models::AnyModel& model,
                                              std::span<const ForcedPair> pairs, std::int64_t batch_tokens,
                                              const std::function<void(std::size_t done)>& progress = {});

/// The same with what the model would have chosen at each token: what metrics of predictions count
/// (eval/metric.h).
std::vector<std::vector<eval::Prediction>> forced_predictions(
    const models::AnyModel& model, std::span<const ForcedPair> pairs, std::int64_t batch_tokens,
    const std::function<void(std::size_t done)>& progress = {});

}  // namespace transformer::translation
