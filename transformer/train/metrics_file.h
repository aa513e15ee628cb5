// metrics.jsonl: what a training measured, one JSON object a line.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "transformer/train/dev_metric.h"
#include "transformer/train/loss_scale.h"

namespace transformer::train {

/// One line. `perplexity` is exp of the plain cross-entropy; times are not part of what a resumed run
/// repeats.
struct Metrics {
  std::int64_t step = 0;
  std::string split;  ///< "train" or "dev"
  double loss = 0;
  double perplexity = 0;
  double learning_rate = 0;
  double tokens_per_second = 0;
  double flops = 0;  ///< spent on training so far
  std::int64_t epoch = 0;
  std::int64_t target_tokens = 0;            ///< seen in training so far
  std::int64_t skipped = 0;                  ///< updates so far with NaN or infinity, which made no step
  std::optional<LossScale> loss_scale = {};  ///< in fp16, with the updates so far that were lost to it
  std::optional<double> gradient_norm = {};  ///< of the update, before clipping (train)
  std::optional<DevMetric> metric = {};      ///< where it was measured (dev)
  double seconds = 0;                        ///< since this process began to train
};

class MetricsFile {
 public:
  /// Opens for appending, after dropping what a resumed run repeats: the lines of steps beyond `step`, those
  /// of evaluations beyond step `evaluated`, and a last line that a crash cut off.
  MetricsFile(const std::filesystem::path& path, std::int64_t step, std::int64_t evaluated);

  /// Throws RunError when the line cannot be written.
  void write(const Metrics& metrics);

  /// Brings all lines to the disk.
  void sync() const;

 private:
  std::filesystem::path path_;
  std::ofstream file_;
};

}  // namespace transformer::train
