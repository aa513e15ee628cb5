// The lines of metrics.jsonl (what a training measured) and of samples.jsonl (what its model made of a few
// sentences), one JSON object each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "transformer/train/dev_metric.h"
#include "transformer/train/loss_scale.h"
#include "transformer/train/sample.h"

namespace transformer::train {

/// One line. `perplexity` is exp of the plain cross-entropy; an infinite one is written as the largest
/// number, since JSON has no infinity. Times are not part of what a resumed run repeats.
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
  std::int64_t skipped = 0;                  ///< updates so far without a step because of NaN or infinity
  std::optional<LossScale> loss_scale = {};  ///< in fp16, with the number of updates lost to it so far
  std::optional<double> gradient_norm = {};  ///< of this update, before clipping (train)
  std::optional<DevMetric> metric = {};      ///< if it was measured (dev)
  double seconds = 0;                        ///< since this process began to train
  double time = 0;                           ///< seconds since 1970
};

/// A sentence of the dev set at a step. `number` counts the sentences from 1.
struct SampleLine {
  std::int64_t step = 0;
  std::size_t number = 1;
  Sample sample;
  double time = 0;  ///< seconds since 1970
};

/// Without the line's end. NaN and infinity become null, bytes that are not UTF-8 become U+FFFD.
std::string to_line(const Metrics& metrics);
std::string to_line(const SampleLine& sample);

}  // namespace transformer::train
