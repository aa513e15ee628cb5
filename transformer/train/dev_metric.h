// What a task measures on its dev set besides the loss.
#pragma once

#include <string>

namespace transformer::train {

struct DevMetric {
  std::string name;  ///< "BLEU" in the log, "bleu" in metrics.jsonl
  double value = 0;
  bool less_is_better = false;

  /// The higher the better.
  double merit() const { return less_is_better ? -value : value; }
};

}  // namespace transformer::train
