// transformer-import: a model of another program as a model directory of ours.
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "apps/common/model_output.h"
#include "apps/common/not_empty.h"
#include "apps/common/program.h"
#include "transformer/base/atomic_file.h"
#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/formats/ctranslate2/ctranslate2_import.h"
#include "transformer/formats/huggingface/huggingface_import.h"
#include "transformer/formats/llama2c/llama2c_import.h"
#include "transformer/formats/mapped/mapped_import.h"
#include "transformer/formats/marian/marian_import.h"
#include "transformer/formats/pytorch/pytorch_checkpoint.h"

namespace {

using namespace transformer;
namespace fs = std::filesystem;

struct Arguments {
  apps::CommonOptions common;
  std::string model;
  std::string tokenizer;
  std::string mapping;
  std::string output;
  bool overwrite = false;
};

checkpoints::LoadedModel load_ctranslate2(const Arguments& arguments) {
  auto [loaded, is_quantised] = formats::import_ctranslate2(arguments.model, arguments.tokenizer);
  if (is_quantised)
    spdlog::warn("{}: has weights of 8 or 16 bits; the model has the numbers that they mean",
                 arguments.model);
  return std::move(loaded);
}

/// A file is a model of llama2.c or, with a mapping, a state_dict; a folder is one of CTranslate2's or
/// Hugging Face's.
checkpoints::LoadedModel load(const Arguments& arguments) {
  if (!arguments.mapping.empty()) {
    if (!arguments.tokenizer.empty())
      throw InputError("--tokenizer: expected none with --mapping, whose file names the vocabulary");
    return formats::import_mapped(arguments.model, arguments.mapping);
  }
  if (formats::is_ctranslate2_folder(arguments.model)) return load_ctranslate2(arguments);
  if (fs::is_regular_file(arguments.model) &&
      (arguments.model.ends_with(".safetensors") || formats::is_pytorch_checkpoint(arguments.model)))
    throw InputError(fmt::format(
        "{}: expected --mapping, which says what these tensors are (docs/guides/importing.md), found none",
        arguments.model));
  if (fs::is_regular_file(arguments.model))
    return formats::import_llama2c(arguments.model, arguments.tokenizer.empty()
                                                        ? formats::llama2c_tokenizer_beside(arguments.model)
                                                        : fs::path(arguments.tokenizer));
  if (!arguments.tokenizer.empty())
    throw InputError(
        "--tokenizer: expected a file of llama2.c as --model, since a folder has its own tokenizers");
  if (!formats::is_marian_folder(arguments.model)) {
    auto loaded = formats::import_huggingface(arguments.model);
    if (loaded.tokenizers.source->has_words())
      spdlog::warn(
          "{}: has neither tokenizer.model nor vocab.json and merges.txt, so prompts and texts are its ids, "
          "such as '464 3290'",
          arguments.model);
    return loaded;
  }
  auto loaded = formats::import_marian(arguments.model);
  if (const auto ignored = formats::ignored_marian_settings(arguments.model); !ignored.empty())
    spdlog::warn("{}: settings of generation that have no counterpart here and are dropped: {}",
                 arguments.model, fmt::join(ignored, ", "));
  return loaded;
}

/// What a model of texts as a whole is good for.
void say_use(const checkpoints::LoadedModel& loaded, const std::string& name) {
  const auto& model = loaded.experiment.model;
  if (models::kind_of(model) != models::kEncoder || model.encoder.head != models::Head::none) return;
  if (!model.output_bias)
    spdlog::warn(
        "{}: has no layers for masked tokens or labels, so what transformer-fill says of it means nothing; "
        "it gives vectors (transformer-label --embed {}) and is a beginning for training (train.from)",
        name, models::name_of(model.encoder.pooling));
}

std::string describe(const checkpoints::LoadedModel& loaded) {
  const auto& model = loaded.experiment.model;
  const auto stacks = models::stacks_of(model);
  const auto sizes = loaded.tokenizers.sizes();
  if (!stacks.encoder || !stacks.decoder)
    return fmt::format("{} layers of width {}, a vocabulary of {} pieces",
                       stacks.encoder ? model.encoder_layers : model.decoder_layers, model.d_model,
                       sizes.source);
  return fmt::format("{} and {} layers of width {}, vocabularies of {} and {} pieces", model.encoder_layers,
                     model.decoder_layers, model.d_model, sizes.source, sizes.target);
}

int import_model(const Arguments& arguments) {
  if (!arguments.common.set.empty())
    throw InputError(
        fmt::format("--set {}: expected nothing to be set of a model as it was trained elsewhere",
                    arguments.common.set.front()));
  std::vector<fs::path> inputs{arguments.model};
  for (const auto& input : {arguments.tokenizer, arguments.mapping})
    if (!input.empty()) inputs.emplace_back(input);
  apps::check_model_output({arguments.output, arguments.overwrite, inputs});
  const auto loaded = load(arguments);
  AtomicDirectory folder(arguments.output);
  checkpoints::write_model_files(folder.temporary(), checkpoints::named_parameters(loaded.model),
                                 loaded.experiment, loaded.tokenizers);
  write_checksums(folder.temporary());
  folder.commit(arguments.overwrite ? AtomicDirectory::Existing::replace : AtomicDirectory::Existing::refuse);
  say_use(loaded, arguments.model);
  spdlog::info("{}: the model of {}, {}", arguments.output, arguments.model, describe(loaded));
  return apps::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Makes a model directory of a model of another program: a Marian, BERT, RoBERTa, XLM-R, DistilBERT, "
      "Llama, Mistral, Gemma or GPT-2 model that Hugging Face's transformers saved, a translation model of "
      "CTranslate2's, a model of llama2.c, or any state_dict of PyTorch's whose tensors a mapping names.",
      "transformer-import");
  Arguments arguments;
  app.add_option(
         "--model", arguments.model,
         "Folder with config.json, model.safetensors (or its index and parts), and tokenizer.model (Marian: "
         "source.spm, target.spm, vocab.json); CTranslate2's folder with model.bin and "
         "vocabularies; llama2.c's file of weights; or, with --mapping, a "
         "safetensors file or what torch.save wrote, of which nothing is executed")
      ->required()
      ->check(apps::kNotEmpty);
  app.add_option("--tokenizer", arguments.tokenizer,
                 "llama2.c's file of pieces (tokenizer.bin, or the only tok*.bin, beside the weights); of "
                 "CTranslate2's folder the SentencePiece model that makes its tokens (words between blanks)")
      ->check(apps::kNotEmpty);
  app.add_option("--mapping", arguments.mapping,
                 "YAML file: the model's options, which tensor is which parameter, and the vocabulary "
                 "(docs/guides/importing.md)")
      ->check(apps::kNotEmpty);
  app.add_option("--output", arguments.output, "Model directory to create")
      ->required()
      ->check(apps::kNotEmpty);
  app.add_flag("--overwrite", arguments.overwrite, "Replace the output if it is a model that nobody changed");
  apps::add_common_options(app, arguments.common);
  apps::run_program(app, arguments.common, argc, argv, [&] { return import_model(arguments); });
}
