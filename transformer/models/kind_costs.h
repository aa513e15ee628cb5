// What other kinds than the encoder-decoder are known to cost. Free of LibTorch.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "transformer/models/options.h"

namespace transformer::models {

struct TokenCounts;
struct FlopCount;

using CountNumbers =
    std::function<std::int64_t(const ModelOptions& options, const VocabularySizes& vocabulary)>;

/// Floating-point operations of a forward pass over so many tokens, two for each multiplication with
/// addition. A search does what is under `source` once a sentence, and the rest for each hypothesis.
using CountFlops = std::function<FlopCount(const ModelOptions& options, const VocabularySizes& vocabulary,
                                           const TokenCounts& counts)>;

/// Numbers that the layers keep for the backward pass, for a token on each side of sentences of `length`
/// tokens, the output apart.
using CountKept = std::function<double(const ModelOptions& options, double length)>;

struct KindCosts {
  CountNumbers parameters;
  CountFlops flops = {};  ///< not set: unknown, and reports say so
  CountKept kept = {};    ///< likewise
};

void add_costs(const std::string& kind, KindCosts costs);

/// Those of options.kind. Throws InputError, naming model.kind, for one that this program does not know.
const KindCosts& costs_of(const ModelOptions& options);

/// The same, or null.
const KindCosts* find_costs(const ModelOptions& options);

}  // namespace transformer::models
