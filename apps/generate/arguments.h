// What transformer-generate is called with.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/attention_output.h"
#include "apps/common/common_options.h"
#include "apps/generate/printer.h"
#include "transformer/generation/options.h"

namespace transformer::apps {

struct GenerateArguments {
  CommonOptions common;
  std::string model, input, output, explain;
  std::vector<std::string> prompts;
  generation::GenerationOptions options;
  std::optional<std::int64_t> seed;
  std::vector<std::string> decode;  ///< --set for each option that stands for a key
  bool beam = false;                ///< texts are searched for
  AttentionFiles attention;
  PrintedForm form;
  bool no_prompt = false;
};

/// All but the common options.
void add_arguments(CLI::App& app, GenerateArguments& arguments);

}  // namespace transformer::apps
