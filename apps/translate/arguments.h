// What transformer-translate is called with.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/attention_output.h"
#include "apps/common/common_options.h"
#include "apps/translate/line_translation.h"

namespace transformer::apps {

struct TranslateArguments {
  CommonOptions common;
  std::string model;
  std::string input;
  std::string output;
  AttentionFiles attention;
  std::string explain;
  std::vector<std::string> decode;  // --set for each option that stands for a key
  std::string source_language, target_language;
  std::string prefix;
  bool nbest = false;  // whether --nbest or --samples is given: then a single one has its form, too
  bool sample = false;
  search::DrawOptions draw;
  std::optional<std::int64_t> seed;
};

/// All but the common options.
void add_arguments(CLI::App& app, TranslateArguments& arguments);

LineTranslationSettings settings_of(const TranslateArguments& arguments);

}  // namespace transformer::apps
