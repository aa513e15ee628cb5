// What the programs that read texts with an encoder have in common.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "apps/common/not_empty.h"
#include "apps/common/program.h"
#include "transformer/base/error.h"
#include "transformer/reading/text_reader.h"

namespace transformer::apps {

struct ReaderArguments {
  CommonOptions common;
  std::string model, input = "-", output;
  std::int64_t batch = reading::ReaderOptions{}.batch;
  bool json = false, overwrite = false;
};

/// Returns --json.
inline CLI::Option* add_reader_options(CLI::App& app, ReaderArguments& arguments, const char* json) {
  app.add_option("--model", arguments.model, "Model directory, or a run directory (its best checkpoint)")
      ->required()
      ->check(kNotEmpty);
  app.add_option("--input", arguments.input, "File with a text in each line; - is standard input")
      ->check(kNotEmpty)
      ->capture_default_str();
  app.add_option("--output", arguments.output,
                 "File to write, which appears when it is complete; - is standard output, the default")
      ->check(kNotEmpty);
  app.add_flag("--overwrite", arguments.overwrite, "Replace an output that is a file");
  app.add_option("--batch", arguments.batch, "Texts that are read together")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100000}).description(""))
      ->capture_default_str();
  return app.add_flag("--json", arguments.json, json);
}

/// Throws InputError for a --set, which has no effect here.
inline void refuse_settings(const ReaderArguments& arguments) {
  if (!arguments.common.set.empty())
    throw InputError(fmt::format("--set {}: expected nothing, since a model is used as it was trained",
                                 arguments.common.set.front()));
}

inline reading::TextReader open_reader(const ReaderArguments& arguments) {
  return reading::TextReader(
      arguments.model,
      {.device = arguments.common.device, .precision = arguments.common.precision, .batch = arguments.batch});
}

}  // namespace transformer::apps
