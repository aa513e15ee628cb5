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

/// The largest number of tokens, without the end, on either side of a pair. It is the most that translate()
/// reads and writes. With learned positions it is max_positions - 1, because the begin or the end token takes
/// one.
std::int64_t longest_forced(const models::ModelOptions& options);

/// log P(token | source, the target's tokens before it) for each pair and each token of its target, its end
/// token last. They are natural logarithms, and their sum is log P(target | source). As in translate(),
/// probabilities are over the whole vocabulary.
///
/// The decoder reads whole targets at once, in evaluation mode, in the precision of the model's weights or of
/// a surrounding runtime::PrecisionScope. Pairs of similar length are computed together, at most
/// `batch_tokens` padded tokens of either side; a longer pair is computed alone. progress, if given, is
/// called after each batch with the number of pairs so far. Throws InputError for a pair that is longer than
/// learned positions allow.
std::vector<std::vector<float>> forced_scores(const models::AnyModel& model,
                                              std::span<const ForcedPair> pairs, std::int64_t batch_tokens,
                                              const std::function<void(std::size_t done)>& progress = {});

/// The same with the model's own choice at each token, for metrics of predictions (eval/metric.h).
std::vector<std::vector<eval::Prediction>> forced_predictions(
    const models::AnyModel& model, std::span<const ForcedPair> pairs, std::int64_t batch_tokens,
    const std::function<void(std::size_t done)>& progress = {});

}  // namespace transformer::translation
