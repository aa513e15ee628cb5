// What transformer-inspect is asked for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/common/program.h"
#include "apps/inspect/run.h"
#include "apps/inspect/time.h"

namespace transformer::apps {

struct InspectRequest {
  std::string config;
  std::string model;
  std::string variant;  ///< to be checked
  bool keys = false;
  bool json = false;
  double sentence_tokens = 30;
  std::vector<std::int64_t> sentences;
  std::vector<std::int64_t> shapes;  ///< tokens of a source and of a target
  std::vector<std::string> texts;    ///< to cut into tokens
  std::int64_t update = 0;           ///< of a run, from 1; 0: none
  DeviceFigures device;
  RunPageRequest page;
};

void add_options(CLI::App& app, InspectRequest& request);

}  // namespace transformer::apps
