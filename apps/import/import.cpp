// transformer-import: a model of another program as a model directory of ours.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "apps/common/model_output.h"
#include "apps/common/not_empty.h"
#include "apps/common/program.h"
#include "apps/import/foreign_model.h"
#include "transformer/base/atomic_file.h"
#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/checkpoints/model_directory.h"

namespace {

using namespace transformer;
namespace fs = std::filesystem;

struct Arguments {
  apps::CommonOptions common;
  apps::ImportSource from;
  std::string source_language, target_language;
  std::string output;
  bool overwrite = false;
};

int import_model(const Arguments& arguments) {
  if (!arguments.common.set.empty())
    throw InputError(
        fmt::format("--set {}: expected nothing to be set of a model as it was trained elsewhere",
                    arguments.common.set.front()));
  std::vector<fs::path> inputs{arguments.from.model};
  for (const auto& input : {arguments.from.tokenizer, arguments.from.mapping})
    if (!input.empty()) inputs.emplace_back(input);
  apps::check_model_output({arguments.output, arguments.overwrite, inputs});
  auto loaded = apps::load_foreign(arguments.from);
  loaded.tokenizers =
      checkpoints::with_languages(loaded.tokenizers, arguments.source_language, arguments.target_language);
  AtomicDirectory folder(arguments.output);
  checkpoints::write_model_files(folder.temporary(), checkpoints::named_parameters(loaded.model),
                                 loaded.experiment, loaded.tokenizers);
  write_checksums(folder.temporary());
  folder.commit(arguments.overwrite ? AtomicDirectory::Existing::replace : AtomicDirectory::Existing::refuse);
  apps::warn_of_use(loaded, arguments.from.model);
  spdlog::info("{}: the model of {}, {}", arguments.output, arguments.from.model,
               apps::description_of(loaded));
  return apps::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Makes a model directory of a model of another program. Hugging Face's transformers saved it: Marian, "
      "T5, "
      "M2M-100, BART, mBART, BERT, RoBERTa, XLM-R, DistilBERT, ALBERT, Llama, Mistral, Gemma or GPT-2. Or it "
      "is "
      "a translation model of CTranslate2's, a model of llama2.c, or any state_dict of PyTorch's whose "
      "tensors "
      "a mapping names.",
      "transformer-import");
  Arguments arguments;
  app.add_option(
         "--model", arguments.from.model,
         "Folder with config.json, model.safetensors or pytorch_model.bin (or its index and parts), and the "
         "tokenizer's files; "
         "CTranslate2's folder with model.bin and vocabularies; llama2.c's file of weights; or, with "
         "--mapping, a safetensors file or what torch.save wrote, of which nothing is executed")
      ->required()
      ->check(apps::kNotEmpty);
  app.add_option("--tokenizer", arguments.from.tokenizer,
                 "llama2.c's file of pieces (tokenizer.bin, or the only tok*.bin, beside the weights); of "
                 "CTranslate2's folder the SentencePiece model that makes its tokens (words between blanks)")
      ->check(apps::kNotEmpty);
  app.add_option("--mapping", arguments.from.mapping,
                 "YAML file: the model's options, which tensor is which parameter, and the vocabulary "
                 "(docs/guides/importing.md)")
      ->check(apps::kNotEmpty);
  app.add_option(
         "--source-language", arguments.source_language,
         "Language whose token begins each source, of a model for several (M2M-100: en, NLLB: eng_Latn)")
      ->check(apps::kNotEmpty);
  app.add_option("--target-language", arguments.target_language, "The same of each target")
      ->check(apps::kNotEmpty);
  app.add_option("--output", arguments.output, "Model directory to create")
      ->required()
      ->check(apps::kNotEmpty);
  app.add_flag("--overwrite", arguments.overwrite, "Replace the output if it is a model that nobody changed");
  apps::add_common_options(app, arguments.common);
  apps::run_program(app, arguments.common, argc, argv, [&] { return import_model(arguments); });
}
