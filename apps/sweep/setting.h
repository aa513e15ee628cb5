// What transformer-sweep decodes, and how.
#pragma once

#include <torch/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "apps/common/program.h"
#include "apps/sweep/results.h"
#include "transformer/eval/metric.h"
#include "transformer/search/options.h"

namespace transformer::apps {

struct SweepSetting {
  search::DecodeOptions decode;  ///< beam and alpha aside; one translation a sentence
  std::vector<std::string> sources, references;
  eval::Metric metric;         ///< the run's, or BLEU where that is not of translations
  std::string signature;       ///< of the metric
  SweepConditions conditions;  ///< of all of it, and of the device
};

/// The text that a checkpoint's configuration calls `split`, dev or test, and its way to decode, each with
/// common.set over it. Throws InputError where the text is missing and for --set with other keys.
SweepSetting load_setting(const std::filesystem::path& checkpoint, const std::string& split,
                          const CommonOptions& common, const torch::Device& device);

/// A number for the content of checkpoints, by their lists of checksums.
std::string digest(const std::vector<std::filesystem::path>& checkpoints);

}  // namespace transformer::apps
