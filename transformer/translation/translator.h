// A model directory as a translator: what transformer-translate runs, for programs of your own.
//
//     translation::Translator translator("runs/base", {.precision = "int8"});
//     for (const auto& found : translator.translate(lines)) std::puts(found.texts.front().c_str());
//
// It searches as the model's configuration says; other ways begin there:
//
//     auto options = translator.decode_options();
//     options.beam = 8;
//     translator.translate(lines, options);
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transformer/checkpoints/model_directory.h"
#include "transformer/translation/text_translation.h"

namespace transformer::translation {

struct TranslatorOptions {
  std::string device = "auto";  ///< as runtime::choose_device has it
  std::string precision =
      "auto";  ///< fp32, bf16, on the CPU int8, on CUDA tf32, fp16; auto: fp32 on the CPU, else bf16
  /// Whose tokens begin lines and translations, of a model for several languages
  /// (checkpoints::with_languages); empty: those that the model's tokenizers have.
  std::string source_language = {}, target_language = {};
};

/// The device that they name. Throws InputError where it cannot be used, or not in this precision.
torch::Device device_of(const TranslatorOptions& options);

/// What "auto" means on that device; any other name as it is. Throws InputError for one that does not exist
/// there.
std::string precision_of(const std::string& name, const torch::Device& device);

/// The precision of that name on the CPU: fp32, bf16 or int8; auto is fp32.
engine::Precision engine_precision(const std::string& name);

/// Packed for the CPU's engine, or as modules on another device and where the engine does not know the model:
/// then the log says so.
class Translator {
 public:
  /// model: a model directory, or a run directory, whose best checkpoint is used. Throws InputError if the
  /// model cannot be read, or if the device or its precision is not available.
  explicit Translator(const std::string& model, const TranslatorOptions& options = {});
  /// The same with a model in memory.
  Translator(checkpoints::LoadedModel model, const TranslatorOptions& options);

  /// Translates each line; the translations are in the order of the lines. On the CPU each of LibTorch's
  /// threads is a worker. Without options it uses the model's: decode_options(). With extras.draw,
  /// translations are drawn.
  std::vector<Translation> translate(std::span<const std::string> lines);
  std::vector<Translation> translate(std::span<const std::string> lines, const search::DecodeOptions& options,
                                     const TranslateCallbacks& callbacks = {},
                                     const TranslateExtras& extras = {});

  /// Under each of `alphas`, [alpha][line], by one search (text_translation.h).
  std::vector<std::vector<Translation>> translate_alphas(std::span<const std::string> lines,
                                                         const search::DecodeOptions& options,
                                                         std::span<const double> alphas,
                                                         const TranslateCallbacks& callbacks = {},
                                                         const TranslateExtras& extras = {});

  /// The `decode` section of the model's configuration.
  const search::DecodeOptions& decode_options() const { return loaded_.experiment.decode; }

  /// What cuts lines into pieces, and spells the tokens of hypotheses.
  const checkpoints::Tokenizers& tokenizers() const { return loaded_.tokenizers; }

  /// Source tokens of a line beyond which the rest of it is not translated.
  std::int64_t longest_source() const { return longest_source_; }

 private:
  checkpoints::LoadedModel loaded_;  // its model is given up once it is packed
  std::optional<engine::PackedModel> packed_;
  std::optional<ModuleDecoder> modules_;
  torch::ScalarType precision_ = torch::kFloat;  // of the modules, where they compute: that of a training
  std::int64_t longest_source_ = 0;
};

}  // namespace transformer::translation
