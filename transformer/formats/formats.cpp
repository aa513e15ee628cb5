#include "transformer/formats/formats.h"

#include "transformer/formats/ctranslate2/ctranslate2.h"
#include "transformer/formats/gguf/gguf.h"
#include "transformer/formats/huggingface/huggingface_export.h"
#include "transformer/formats/marian/marian_export.h"
#include "transformer/formats/marian/marian_import.h"
#include "transformer/formats/safetensors/safetensors_folder.h"
#include "transformer/formats/torchscript/torchscript.h"
#include "transformer/formats/torchscript/torchscript_module.h"
#include "transformer/runtime/device.h"

namespace transformer::formats {
namespace {

/// Takes the paper's encoder-decoder and its decoder alone.
void check_stacks(const checkpoints::LoadedModel& model) {
  if (!models::stacks_of(model.model->options()).decoder) model.encoder_decoder();
}

using WriteFp32 = void (*)(const checkpoints::LoadedModel& model, const std::filesystem::path& path);

/// A format that has one precision, or writes the type that the weights have.
auto plainly(WriteFp32 write) {
  return [write](const checkpoints::LoadedModel& model, const std::filesystem::path& path,
                 const std::string& /*precision*/) { write(model, path); };
}

Format marian() {
  return {.name = "marian",
          .description = "a folder that transformers (MarianMTModel) and its kin load",
          .write = plainly(export_marian),
          .read = [](const std::filesystem::path& path, const torch::Device& device) {
            auto loaded = import_marian(path);
            runtime::move_to(*loaded.model, device);
            return candidate_of(loaded.encoder_decoder(), loaded.tokenizers.source);
          }};
}

}  // namespace

const std::vector<Format>& formats() {
  static const std::vector<Format> all = {
      {.name = "torchscript",
       .description = "one file for torch.jit.load, search included",
       .is_folder = false,
       .precisions = {"fp32", "bf16"},
       .convert =
           [](checkpoints::LoadedModel& model, const std::string& precision) {
             if (precision == "bf16") model.model->to(torch::kBFloat16);
           },
       .check = [](const checkpoints::LoadedModel& model) { check_can_be_traced(model.model); },
       .write = plainly(write_torchscript),
       .read = read_torchscript},
      {.name = "safetensors",
       .description = "plain weights and their description in JSON",
       .is_folder = true,
       .write = plainly(write_safetensors_folder),
       .read = read_safetensors_folder},
      {.name = "ctranslate2",
       .description = "a folder for ctranslate2.Translator or ctranslate2.Generator",
       .is_folder = true,
       .check = check_stacks,
       .write = plainly(write_ctranslate2),
       .read = read_ctranslate2},
      marian(),
      {.name = "huggingface",
       .description = "a folder that transformers loads as LlamaForCausalLM, GemmaForCausalLM, "
                      "GPT2LMHeadModel, a BERT, T5, BART or M2M-100",
       .is_folder = true,
       .check = [](const checkpoints::LoadedModel& model) { check_huggingface(model); },
       .write = plainly(write_huggingface),
       .read = read_huggingface},
      {.name = "gguf",
       .description = "one file of a language model for llama.cpp",
       .is_folder = false,
       .precisions = {"fp32", "fp16", "bf16", "int8"},
       .convert = make_llama,
       .normalizes = false,
       .check = [](const checkpoints::LoadedModel&) {},  // as it is converted
       .write = write_gguf,
       .read = read_gguf},
  };
  return all;
}

}  // namespace transformer::formats
