// The configurations of Table 3's rows, configs/table3/, as they were when the library was built.
#pragma once

#include <string>
#include <vector>

namespace transformer::config {

struct Table3File {
  std::string name;  ///< without ".yaml": "a-heads-1" is of row A; "big" is the big model, configs/big.yaml
  std::string text;
};

const std::vector<Table3File>& table3_files();

}  // namespace transformer::config
