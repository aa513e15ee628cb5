// What a model makes of an example, to be read by people.
#pragma once

#include <string>

namespace transformer::train {

/// Texts of one line each.
struct Sample {
  std::string source;
  std::string reference;
  std::string translation;
};

}  // namespace transformer::train
