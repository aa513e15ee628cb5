// Keys that say nothing in the model that is chosen: who sets one means another model.
#pragma once

#include <string>
#include <vector>

#include "transformer/config/experiment.h"

namespace transformer::config {

struct UnusedKey {
  std::string key;
  std::string cause;    ///< the key by whose value it says nothing
  std::string message;  ///< "expected 16, its default, unless model.positions is relative, found '8'"
};

/// Those with another value than their default.
std::vector<UnusedKey> unused_keys(const Experiment& experiment);

}  // namespace transformer::config
