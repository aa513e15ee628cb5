// transformer-inspect's prediction of an update's time on a device.
#pragma once

#include "apps/inspect/costs.h"
#include "apps/inspect/scaling.h"

namespace CLI {
class App;
}

namespace transformer::apps {

/// As a user gives them.
struct DeviceFigures {
  double peak_teraflops = 0;
  double bandwidth_gigabytes = 0;
  double launch_microseconds = 5;
  NetworkFigures network = {};  ///< without devices: of one alone
};

/// The options by which they are given.
void add_device_options(CLI::App& app, DeviceFigures& device);

/// Prints the prediction by kinds of operations, for sentences of `length` tokens, and what is predicted for
/// several devices. Throws InputError, naming the key, for a model that is not among those whose operations
/// are known.
void print_update_time(const Subject& subject, const DeviceFigures& device, double length,
                       const std::string& precision, bool as_json);

}  // namespace transformer::apps
