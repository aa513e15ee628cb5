// transformer-import: a model of another program as a model directory of ours.
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "apps/common/model_output.h"
#include "apps/common/not_empty.h"
#include "apps/common/program.h"
#include "transformer/base/atomic_file.h"
#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/formats/marian/marian_import.h"

namespace {

using namespace transformer;

struct Arguments {
  apps::CommonOptions common;
  std::string model;
  std::string output;
  bool overwrite = false;
};

int import_model(const Arguments& arguments) {
  if (!arguments.common.set.empty())
    throw InputError(
        fmt::format("--set {}: expected nothing to be set of a model as it was trained elsewhere",
                    arguments.common.set.front()));
  apps::check_model_output({arguments.output, arguments.overwrite, {arguments.model}});
  const auto loaded = formats::import_marian(arguments.model);
  if (const auto ignored = formats::ignored_marian_settings(arguments.model); !ignored.empty())
    spdlog::warn("{}: settings of generation that have no counterpart here and are dropped: {}",
                 arguments.model, fmt::join(ignored, ", "));
  AtomicDirectory folder(arguments.output);
  checkpoints::write_model_files(folder.temporary(), checkpoints::named_parameters(loaded.model),
                                 loaded.experiment, loaded.tokenizers);
  write_checksums(folder.temporary());
  folder.commit(arguments.overwrite ? AtomicDirectory::Existing::replace : AtomicDirectory::Existing::refuse);
  const auto sizes = loaded.tokenizers.sizes();
  spdlog::info("{}: the model of {}, {} and {} layers of width {}, vocabularies of {} and {} pieces",
               arguments.output, arguments.model, loaded.experiment.model.encoder_layers,
               loaded.experiment.model.decoder_layers, loaded.experiment.model.d_model, sizes.source,
               sizes.target);
  return apps::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Makes a model directory of a Marian model that Hugging Face's transformers saved.",
               "transformer-import");
  Arguments arguments;
  app.add_option("--model", arguments.model,
                 "Folder with config.json, model.safetensors (or its index and parts), source.spm, "
                 "target.spm, vocab.json")
      ->required()
      ->check(apps::kNotEmpty);
  app.add_option("--output", arguments.output, "Model directory to create")
      ->required()
      ->check(apps::kNotEmpty);
  app.add_flag("--overwrite", arguments.overwrite, "Replace the output if it is a model that nobody changed");
  apps::add_common_options(app, arguments.common);
  apps::run_program(app, arguments.common, argc, argv, [&] { return import_model(arguments); });
}
