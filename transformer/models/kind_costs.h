// What kinds from outside are known to cost. Free of LibTorch.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "transformer/models/options.h"

namespace transformer::models {

struct TokenCounts;

using CountNumbers =
    std::function<std::int64_t(const ModelOptions& options, const VocabularySizes& vocabulary)>;

/// Floating-point operations of a forward pass over so many tokens, two for each multiplication with
/// addition.
using CountFlops = std::function<double(const ModelOptions& options, const VocabularySizes& vocabulary,
                                        const TokenCounts& counts)>;

struct KindCosts {
  CountNumbers parameters;
  CountFlops flops = {};  ///< not set: unknown, and reports say so
};

void add_costs(const std::string& kind, KindCosts costs);

/// Those of options.kind. Throws InputError, naming model.kind, for one that this program does not know.
const KindCosts& costs_of(const ModelOptions& options);

/// The same, or null.
const KindCosts* find_costs(const ModelOptions& options);

}  // namespace transformer::models
