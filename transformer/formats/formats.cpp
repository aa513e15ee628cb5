#include "transformer/formats/formats.h"

#include "transformer/formats/ctranslate2/ctranslate2.h"
#include "transformer/formats/huggingface/huggingface_export.h"
#include "transformer/formats/marian/marian_export.h"
#include "transformer/formats/marian/marian_import.h"
#include "transformer/formats/safetensors/safetensors_folder.h"
#include "transformer/formats/torchscript/torchscript.h"
#include "transformer/formats/torchscript/torchscript_module.h"
#include "transformer/runtime/device.h"

namespace transformer::formats {
namespace {

Format marian() {
  return {.name = "marian",
          .description = "a folder that transformers (MarianMTModel) and its kin load",
          .write = export_marian,
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
       .check = [](const checkpoints::LoadedModel& model) { check_can_be_traced(model.model); },
       .write = write_torchscript,
       .read = read_torchscript},
      {.name = "safetensors",
       .description = "plain weights and their description in JSON",
       .is_folder = true,
       .write = write_safetensors_folder,
       .read = read_safetensors_folder},
      {.name = "ctranslate2",
       .description = "a folder for ctranslate2.Translator",
       .is_folder = true,
       .write = write_ctranslate2,
       .read = read_ctranslate2},
      marian(),
      {.name = "huggingface",
       .description =
           "a folder that transformers loads as LlamaForCausalLM, GemmaForCausalLM or GPT2LMHeadModel",
       .is_folder = true,
       .check = [](const checkpoints::LoadedModel& model) { check_huggingface(model); },
       .write = write_huggingface,
       .read = read_huggingface},
  };
  return all;
}

}  // namespace transformer::formats
