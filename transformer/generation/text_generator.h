// A model directory as a writer of texts: what transformer-generate runs, for programs of your own.
//
//     generation::TextGenerator generator("runs/story");
//     for (const auto& texts : generator.generate({"Once upon a time"}, {.max_tokens = 100}))
//       std::puts(texts.front().text.c_str());
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transformer/checkpoints/model_directory.h"
#include "transformer/generation/beam_texts.h"
#include "transformer/translation/translator.h"

namespace transformer::generation {

/// Packed for the CPU's engine, or as modules on another device and where the engine does not know the model:
/// then the log says so.
class TextGenerator {
 public:
  /// model: a model directory, or a run directory, whose best checkpoint is taken. Throws InputError
  /// for what cannot be read, for a model that does not continue texts, and where there is no such device or
  /// precision for it.
  explicit TextGenerator(const std::string& model, const translation::TranslatorOptions& options = {});

  /// options.samples continuations of each prompt, in their order.
  std::vector<std::vector<Continuation>> generate(std::span<const std::string> prompts,
                                                  const GenerationOptions& options,
                                                  const GenerationCalls& calls = {});

  /// The decode.nbest best continuations of each prompt by beam search, best first (beam_texts.h).
  std::vector<std::vector<Continuation>> beam_search(std::span<const std::string> prompts,
                                                     const GenerationOptions& options,
                                                     const search::DecodeOptions& decode,
                                                     const TextSearchCalls& calls = {});

  /// The `decode` section of the model's configuration.
  const search::DecodeOptions& decode_options() const { return loaded_.experiment.decode; }

  /// The ids of a prompt, with what texts begin with in front: kBos; or kEos if the model has learnt from a
  /// stream of documents (data.block), where each begins behind the end of another.
  std::vector<std::int32_t> ids_of(const std::string& prompt) const;

  const data::Tokenizer& tokenizer() const { return *loaded_.tokenizers.target; }

 private:
  template <typename Use>
  auto with_models(std::span<const std::string> prompts, GenerationOptions options, std::int64_t hypotheses,
                   const Use& use);

  checkpoints::LoadedModel loaded_;  // its model is given up once it is packed
  std::optional<engine::PackedModel> packed_;
  torch::ScalarType precision_ = torch::kFloat;  // of the modules, where they compute
  std::optional<std::int64_t> longest_;          // tokens that learned positions reach
};

}  // namespace transformer::generation
