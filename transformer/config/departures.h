// Where an experiment leaves the paper.
#pragma once

#include <string>
#include <vector>

#include "transformer/config/experiment.h"

namespace transformer::config {

/// One plain sentence for each departure from the regime of the paper's base model (sections 3, 5 and 6.1). A
/// variation of Table 3, or the big model, is one sentence that says so. The sentence tells the expected
/// effect if that is known. Choices that the paper leaves open, such as evaluation intervals, are not
/// departures.
std::vector<std::string> departures(const Experiment& experiment);

}  // namespace transformer::config
