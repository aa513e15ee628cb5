// The models that are measured.
#pragma once

#include <string>

#include "transformer/models/options.h"

namespace transformer::bench {

/// small: 3 layers, d_model 256, 4 heads, d_ff 1024. base and big: the paper's (Table 3).
struct Shape {
  models::ModelOptions model;
  std::int64_t tokens = 4096;  ///< target tokens of a batch
};

/// Throws InputError for another name.
Shape shape_of(const std::string& name);

}  // namespace transformer::bench
