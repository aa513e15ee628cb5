// Outputs that are drawn token by token (ancestral sampling), for any model that can do a step.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "transformer/search/hypothesis.h"
#include "transformer/search/sampling.h"
#include "transformer/search/step.h"

namespace transformer::search {

struct DrawOptions {
  SamplingOptions sampling = {};
  std::int64_t samples = 1;  ///< outputs of each sentence, 1 to kMostSamples
  std::uint64_t seed = 1;    ///< of all draws

  bool operator==(const DrawOptions&) const = default;
};

inline constexpr std::int64_t kMostSamples = 1000;

/// Logits of what follows each row: (rows, vocabulary). They are good until the next call.
using LogitStep = std::function<std::span<const float>(const StepRows& rows)>;

/// options.samples outputs of each sentence, in the order of the samples. limits and bounds are as in
/// beam_search(); an output of limits[i] tokens is ended by kEos. The score of an output is its
/// log-probability by the model alone, the prefix and the end included. What is drawn depends on the seed,
/// the sentence's number, the sample and the logits alone. numbers: of the sentences, from 0. Throws
/// InputError, naming the option, for one that cannot be.
Found draw(const std::vector<std::int64_t>& limits, std::span<const std::size_t> numbers,
           const DrawOptions& options, const LogitStep& step, const BeforeStep& before_step,
           const Bounds& bounds = {});

}  // namespace transformer::search
