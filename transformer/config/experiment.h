// One experiment: everything that decides a result, in plain structs.
#pragma once

#include <cstdint>
#include <string>

#include "transformer/data/options.h"
#include "transformer/distributed/options.h"
#include "transformer/models/options.h"
#include "transformer/search/options.h"
#include "transformer/train/options.h"

namespace transformer::config {

struct Experiment {
  std::int64_t seed = 1;
  data::DataOptions data;
  models::ModelOptions model;
  train::TrainOptions train;
  distributed::DistributedOptions distributed;
  search::DecodeOptions decode;

  bool operator==(const Experiment&) const = default;
};

}  // namespace transformer::config
