#include "apps/import/foreign_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/formats/ctranslate2/ctranslate2_import.h"
#include "transformer/formats/huggingface/encoder_import.h"
#include "transformer/formats/huggingface/huggingface_import.h"
#include "transformer/formats/llama2c/llama2c_import.h"
#include "transformer/formats/mapped/mapped_import.h"
#include "transformer/formats/marian/marian_import.h"
#include "transformer/formats/pytorch/pytorch_checkpoint.h"

namespace transformer::apps {
namespace {

namespace fs = std::filesystem;

checkpoints::LoadedModel load_ctranslate2(const ImportSource& from) {
  auto [loaded, is_quantised] = formats::import_ctranslate2(from.model, from.tokenizer);
  if (is_quantised)
    spdlog::warn("{}: has weights of 8 or 16 bits; the model has the numbers that they mean", from.model);
  return std::move(loaded);
}

/// Of generation, of an encoder-decoder.
void warn_of_settings(const checkpoints::LoadedModel& loaded, const std::string& folder) {
  const auto stacks = models::stacks_of(loaded.experiment.model);
  if (!stacks.encoder || !stacks.decoder) return;
  if (const auto ignored = formats::ignored_marian_settings(folder); !ignored.empty())
    spdlog::warn("{}: settings of generation that have no counterpart here and are dropped: {}", folder,
                 fmt::join(ignored, ", "));
}

/// Whether texts need the token of a language, which nobody has named.
bool lacks_language(const data::Tokenizer& tokenizer) {
  const auto knows = [&](const char* piece) { return tokenizer.id_of(piece) != kUnknown; };
  return tokenizer.begin() == kUnknown && (knows("__en__") || knows("eng_Latn"));
}

}  // namespace

checkpoints::LoadedModel load_foreign(const ImportSource& from) {
  if (!from.mapping.empty()) {
    if (!from.tokenizer.empty())
      throw InputError("--tokenizer: expected none with --mapping, whose file names the vocabulary");
    return formats::import_mapped(from.model, from.mapping);
  }
  if (formats::is_ctranslate2_folder(from.model)) return load_ctranslate2(from);
  if (fs::is_regular_file(from.model) &&
      (from.model.ends_with(".safetensors") || formats::is_pytorch_checkpoint(from.model)))
    throw InputError(fmt::format(
        "{}: expected --mapping, which says what these tensors are (docs/guides/importing.md), found none",
        from.model));
  if (fs::is_regular_file(from.model))
    return formats::import_llama2c(from.model, from.tokenizer.empty()
                                                   ? formats::llama2c_tokenizer_beside(from.model)
                                                   : fs::path(from.tokenizer));
  if (!from.tokenizer.empty())
    throw InputError(
        "--tokenizer: expected a file of llama2.c as --model, since a folder has its own tokenizers");
  if (!formats::is_marian_folder(from.model)) {
    auto loaded = formats::import_huggingface(from.model);
    if (loaded.tokenizers.source->has_words())
      spdlog::warn(
          "{}: has neither tokenizer.model nor vocab.json and merges.txt, so prompts and texts are its ids, "
          "such as '464 3290'",
          from.model);
    warn_of_settings(loaded, from.model);
    if (const auto shared = formats::shared_layers(from.model))
      spdlog::info(
          "{}: {} layers share the weights of {}; in the model each has a copy, which trainings change apart",
          from.model, shared->layers, shared->stored);
    return loaded;
  }
  auto loaded = formats::import_marian(from.model);
  warn_of_settings(loaded, from.model);
  return loaded;
}

void warn_of_use(const checkpoints::LoadedModel& loaded, const std::string& name) {
  if (lacks_language(*loaded.tokenizers.source) || lacks_language(*loaded.tokenizers.target))
    spdlog::warn(
        "{}: translates between several languages, so transformer-translate needs --source-language and "
        "--target-language, unless they are given here",
        name);
  const auto& model = loaded.experiment.model;
  if (models::kind_of(model) != models::kEncoder || model.encoder.head != models::Head::none) return;
  if (!model.output_bias)
    spdlog::warn(
        "{}: has no layers for masked tokens or labels, so what transformer-fill says of it means nothing; "
        "it gives vectors (transformer-label --embed {}) and is a beginning for training (train.from)",
        name, models::name_of(model.encoder.pooling));
}

std::string description_of(const checkpoints::LoadedModel& loaded) {
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

}  // namespace transformer::apps
