// The options of transformer-evaluate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/program.h"

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
  std::optional<std::int64_t> seed;
  bool lowercase = false;
  bool confidence = false;
  bool json = false;
};

void add_options(CLI::App& app, EvaluateOptions& options);

}  // namespace transformer::apps
