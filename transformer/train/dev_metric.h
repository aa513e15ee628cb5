// What a task measures on its dev set besides the loss.
#pragma once

#include <string>

namespace transformer::train {

struct DevMetric {
  std::string name;  ///< "BLEU" in the log, "bleu" in metrics.jsonl
  double value = 0;  ///< more is better
};

}  // namespace transformer::train
