// transformer-export: a trained model in the formats of other programs, each proved to be the same model.
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <iostream>

#include "apps/common/model_output.h"
#include "apps/common/model_overrides.h"
#include "apps/common/not_empty.h"
#include "apps/common/program.h"
#include "apps/export/sample.h"
#include "transformer/base/atomic_file.h"
#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/base/output_place.h"
#include "transformer/formats/formats.h"
#include "transformer/runtime/device.h"

namespace {

using namespace transformer;
namespace fs = std::filesystem;

struct Arguments {
  apps::CommonOptions common;
  std::string model;
  std::string format;
  std::string output;
  std::string sample;
  std::size_t sentences = 100;
  bool overwrite = false;
};

const formats::Format& find_format(const std::string& name) {
  return *std::ranges::find(formats::formats(), name, &formats::Format::name);  // CLI11 has checked the name
}

/// Everything that is read for the export, and where it goes.
void check_output(const Arguments& arguments, bool is_folder) {
  const auto model = checkpoints::resolve_model_directory(arguments.model);
  const apps::Output output{arguments.output, arguments.overwrite, {model, arguments.sample}};
  if (!is_folder) return apps::check_file_output(output);
  apps::check_folder_output(output, "an earlier export",
                            [](const fs::path& path) { return exists(path / "config.json"); });
}

std::string precision_of(const Arguments& arguments) {
  const auto& known = find_format(arguments.format).precisions;
  if (arguments.common.precision == "auto") return known.front();
  if (std::ranges::find(known, arguments.common.precision) == known.end())
    throw InputError(fmt::format("--precision {}: expected {} for the format {}", arguments.common.precision,
                                 fmt::join(known, " or "), arguments.format));
  return arguments.common.precision;
}

checkpoints::LoadedModel load(const Arguments& arguments) {
  const auto precision = precision_of(arguments);
  const auto device = runtime::choose_device(arguments.common.device);
  auto loaded = checkpoints::load_model(arguments.model, device);
  const auto& format = find_format(arguments.format);
  format.check(loaded);
  loaded.experiment = apps::override_model(arguments.model, arguments.common.set, {"decode"});
  if (format.convert) format.convert(loaded, precision);
  return loaded;
}

/// Throws unless what lies at `path` is the model; else prints the proof.
void prove(checkpoints::LoadedModel& loaded, const formats::Format& format, const fs::path& path,
           const formats::Sample& sample, const std::string& model) {
  const bool half = loaded.model->parameters().front().scalar_type() == torch::kBFloat16;
  const auto proof =
      formats::prove(loaded.model, format.read(path, loaded.model->device()), sample,
                     loaded.experiment.decode, half ? formats::kRounding16 : formats::kRounding32);
  if (proof.diverged) throw checkpoints::diverged(model, "");
  std::cout << proof.table();
  if (!proof.holds()) throw RunError("the export is not the same model, see the table; nothing was written");
}

int export_model(const Arguments& arguments) {
  const auto& format = find_format(arguments.format);
  check_output(arguments, format.is_folder);
  auto loaded = load(arguments);
  auto sample = apps::export_sample(loaded, arguments.sample, arguments.sentences);
  if (!format.normalizes) apps::normalize(sample, *loaded.tokenizers.source, arguments.format);
  check_apart(arguments.output, {sample.origin});  // the dev set, unless another text was named
  const auto precision = precision_of(arguments);
  const auto existing = arguments.overwrite ? Existing::replace : Existing::refuse;
  if (format.is_folder) {
    AtomicDirectory folder(arguments.output);
    format.write(loaded, folder.temporary(), precision);
    prove(loaded, format, folder.temporary(), sample, arguments.model);
    write_checksums(folder.temporary());
    folder.commit(existing);
  } else {
    AtomicFile file(followed(arguments.output));
    format.write(loaded, file.temporary(), precision);
    prove(loaded, format, file.temporary(), sample, arguments.model);
    file.commit(existing);
  }
  spdlog::info("{}: {} of {}", arguments.output, arguments.format, loaded.directory.string());
  return apps::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Writes a model in the format of other programs, after it was loaded back and compared.",
               "transformer-export");
  Arguments arguments;
  std::vector<std::string> names;
  std::string help = "The format:";
  for (const auto& format : formats::formats()) {
    names.push_back(format.name);
    help += fmt::format(" {} ({}){}", format.name, format.description,
                        &format == &formats::formats().back() ? "" : ";");
  }
  app.add_option("--model", arguments.model, "Model directory, or a run directory (its best checkpoint)")
      ->required()
      ->check(apps::kNotEmpty);
  app.add_option("--format", arguments.format, help)->required()->check(CLI::IsMember(names).description(""));
  app.add_option("--output", arguments.output, "File (torchscript, gguf) or folder to create")
      ->required()
      ->check(apps::kNotEmpty);
  app.add_option("--sample", arguments.sample,
                 "Text to compare on, in the source language, a sentence a line; - is standard input "
                 "(default: the dev set)")
      ->check(apps::kNotEmpty);
  app.add_option("--sentences", arguments.sentences, "How many sentences of that text to compare on")
      ->check(CLI::Range(1, 1000000).description(""))
      ->capture_default_str();
  app.add_flag("--overwrite", arguments.overwrite,
               "Replace an earlier export that nobody changed, or a file");
  apps::add_common_options(app, arguments.common, {"fp32", "fp16", "bf16", "int8", "auto"});
  apps::run_program(app, arguments.common, argc, argv, [&] { return export_model(arguments); });
}
