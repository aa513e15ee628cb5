#include "transformer/translation/translator.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "transformer/base/error.h"
#include "transformer/engine/support.h"
#include "transformer/runtime/device.h"
#include "transformer/translation/engine_model.h"

namespace transformer::translation {
namespace {

/// Probabilities that are NaN, which a search ranks last, come of a training that has diverged, or of
/// activations beyond fp16's largest number: then some lines may be spared.
void check_numbers(const std::vector<Translation>& translations, bool is_half,
                   const std::filesystem::path& model) {
  const auto count = std::ranges::count_if(translations, [](const Translation& translation) {
    return translation.hypotheses.front().log_probability <= std::numeric_limits<float>::lowest();
  });
  if (count > 0 && !is_half)
    throw checkpoints::diverged(model, fmt::format(" in {} of {} lines", count, translations.size()));
  if (count > 0)
    spdlog::warn(
        "--precision fp16: in {} of {} lines the model's activations exceed 65504, fp16's largest number: "
        "their translations mean nothing; --precision fp32 computes them",
        count, translations.size());
}

void report_mended(const std::vector<Translation>& translations) {
  const auto count = std::ranges::count_if(translations, &Translation::mended);
  if (count > 0)
    spdlog::warn(
        "{} of {} outputs are mended: no trees of their lines' words, or marks with other words' tags", count,
        translations.size());
}

}  // namespace

engine::Precision engine_precision(const std::string& name) {
  if (name == "bf16") return engine::Precision::bf16;
  if (name == "int8") return engine::Precision::int8;
  return engine::Precision::fp32;
}

torch::Device device_of(const TranslatorOptions& options) {
  const auto device = runtime::choose_device(options.device);
  if (options.precision == "int8" && !device.is_cpu())
    throw InputError("--precision int8: can be computed on the CPU only (add --device cpu)");
  precision_of(options.precision, device);
  return device;
}

std::string precision_of(const std::string& name, const torch::Device& device) {
  return name == "int8" ? name : runtime::name_of_precision(runtime::choose_precision(name, device));
}

Translator::Translator(const std::string& model, const TranslatorOptions& options)
    : Translator(checkpoints::load_model(model, device_of(options)), options) {}

Translator::Translator(checkpoints::LoadedModel model, const TranslatorOptions& options)
    : loaded_(std::move(model)), longest_source_(translation::longest_source(loaded_.model->options())) {
  loaded_.tokenizers =
      checkpoints::with_languages(loaded_.tokenizers, options.source_language, options.target_language);
  const auto device = device_of(options);
  runtime::move_to(*loaded_.model, device);
  if (const auto own = models::as_encoder_decoder(loaded_.model);
      own && uses_engine(own->options(), device)) {
    packed_.emplace(pack(own, engine_precision(options.precision)));
    loaded_.model = nullptr;
    return;
  }
  models::sequence_to_sequence(
      *loaded_.model);  // refuses what cannot translate, before anything is said of it
  if (options.precision == "int8")
    throw InputError(
        fmt::format("--precision int8: expected fp32 or bf16 for {}, which the engine for CPUs does not know",
                    engine::unsupported(loaded_.model->options()).value_or("model.kind")));
  warn_if_declined(loaded_.model->options(), device);
  precision_ = runtime::choose_precision(options.precision, device);
  modules_.emplace(loaded_.model);
}

std::vector<Translation> Translator::translate(std::span<const std::string> lines) {
  return translate(lines, decode_options());
}

std::vector<Translation> Translator::translate(std::span<const std::string> lines,
                                               const search::DecodeOptions& options,
                                               const TranslateCallbacks& callbacks,
                                               const TranslateExtras& extras) {
  return std::move(translate_alphas(lines, options, {&options.alpha, 1}, callbacks, extras).front());
}

std::vector<std::vector<Translation>> Translator::translate_alphas(std::span<const std::string> lines,
                                                                   const search::DecodeOptions& options,
                                                                   std::span<const double> alphas,
                                                                   const TranslateCallbacks& callbacks,
                                                                   const TranslateExtras& wanted) {
  auto extras = wanted;
  extras.trees = loaded_.experiment.data.examples == data::ExampleKind::trees;
  const auto &source = *loaded_.tokenizers.source, &target = *loaded_.tokenizers.target;
  const auto search = [&] {
    if (packed_)
      return translation::translate(*packed_, source, target, lines, options,
                                    static_cast<std::size_t>(at::get_num_threads()), alphas, callbacks,
                                    extras);
    const runtime::PrecisionScope scope(precision_);
    return translation::translate(*modules_, source, target, lines, options, alphas, callbacks, extras);
  };
  auto found = search();
  if (!found.empty()) check_numbers(found.front(), !packed_ && precision_ == torch::kHalf, loaded_.directory);
  if (extras.trees) report_mended(found.front());
  return found;
}

}  // namespace transformer::translation
