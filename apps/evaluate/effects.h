// Options of transformer-evaluate that need others to have an effect.
#pragma once

#include "apps/evaluate/options.h"

namespace transformer::apps {

/// Throws InputError, naming the option, for one that would change nothing.
void check_effects(const EvaluateOptions& options);

}  // namespace transformer::apps
