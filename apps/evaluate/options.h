// The options of transformer-evaluate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/program.h"
#include "transformer/eval/metric.h"

namespace transformer::apps {

struct EvaluateOptions {
  std::string model;
  std::string data;
  std::string hypothesis;
  std::vector<std::string> references;
  std::string baseline, source;
  std::string alignment, alignment_reference;
  std::vector<std::int64_t> lengths{10, 20, 30, 40, 50};
  std::vector<std::string> metrics{"bleu"};
  std::string tokenize = "13a";
  std::string smooth_method = "exp";
  std::optional<double> smooth_value;
  bool effective_order = false;
  eval::ChrfOptions chrf = {};
  std::optional<int> samples, paired_samples, trials;
  std::optional<std::int64_t> seed;
  bool lowercase = false;
  bool confidence = false;
  bool json = false;
};

void add_options(CLI::App& app, EvaluateOptions& options);

}  // namespace transformer::apps
