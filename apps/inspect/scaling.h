// transformer-inspect's prediction for an update that several devices share.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "apps/inspect/costs.h"
#include "transformer/models/scaling_time.h"

namespace transformer::apps {

/// As a user gives them.
struct NetworkFigures {
  std::vector<std::int64_t> devices;  ///< how many, each a prediction
  double bandwidth_gigabytes = 0;
  double latency_microseconds = 0;
};

/// One for each number of devices. Throws InputError where there are more devices than sentences.
std::vector<models::ScaledUpdate> predict_scaling(const Subject& subject, const models::UpdateShape& shape,
                                                  const models::Device& device,
                                                  const NetworkFigures& network);

void print_scaling(const Subject& subject, const std::vector<models::ScaledUpdate>& updates,
                   const NetworkFigures& network);

nlohmann::ordered_json scaling_to_json(const std::vector<models::ScaledUpdate>& updates);

}  // namespace transformer::apps
