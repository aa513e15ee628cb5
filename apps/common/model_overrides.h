// --set over a trained model's configuration.
#pragma once

#include <string>
#include <vector>

#include "transformer/config/experiment.h"

namespace transformer::apps {

/// The configuration of the model directory or run that `model` names, with `set` laid over it in this order.
/// Throws InputError for a key whose value would change and that is neither one of `sections` nor in one of
/// them, since the model is trained.
config::Experiment override_model(const std::string& model, const std::vector<std::string>& set,
                                  const std::vector<std::string>& sections);

}  // namespace transformer::apps
