#include "transformer/generation/text_generator.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>

#include "transformer/base/error.h"
#include "transformer/base/free_memory.h"
#include "transformer/data/blocks.h"
#include "transformer/engine/support.h"
#include "transformer/engine/text_decoder.h"
#include "transformer/generation/cache_limit.h"
#include "transformer/generation/module_texts.h"
#include "transformer/generation/workers.h"
#include "transformer/runtime/device.h"
#include "transformer/translation/engine_model.h"
#include "transformer/translation/scoring.h"

namespace transformer::generation {
namespace {

constexpr double kShareOfMemory = 0.8;  // the rest is for buffers that grow by doubling

}  // namespace

TextGenerator::TextGenerator(const std::string& model, const translation::TranslatorOptions& options) {
  const auto device = translation::device_of(options);
  loaded_ = checkpoints::load_model(model, device);
  models::language_model(*loaded_.model);  // refuses what does not continue texts
  const auto& made = loaded_.model->options();
  longest_ = models::longest_sequence(made);
  if (translation::uses_engine(made, device)) {
    packed_.emplace(translation::pack(loaded_.model, translation::engine_precision(options.precision)));
    loaded_.model = nullptr;
    return;
  }
  if (options.precision == "int8")
    throw InputError(
        fmt::format("--precision int8: expected fp32 or bf16 for {}, which the engine for CPUs does not know",
                    engine::unsupported(made).value_or("model.kind")));
  translation::warn_if_declined(made, device);
  runtime::move_to(*loaded_.model, device);
  precision_ = runtime::choose_precision(options.precision, device);
}

std::vector<std::int32_t> TextGenerator::ids_of(const std::string& prompt) const {
  auto ids = tokenizer().encode(prompt);
  ids.insert(ids.begin(), data::begin_of_texts(loaded_.experiment.data));
  return ids;
}

/// use(make, workers, ids, options): with models in their mode, a window within what they can read, and a
/// batch that memory holds. hypotheses: of each text.
template <typename Use>
auto TextGenerator::with_models(std::span<const std::string> prompts, GenerationOptions options,
                                std::int64_t hypotheses, const Use& use) {
  std::vector<std::vector<std::int32_t>> ids;
  for (const auto& prompt : prompts) ids.push_back(ids_of(prompt));
  if (longest_) options.window = options.window == 0 ? *longest_ : std::min(options.window, *longest_);
  if (packed_) {
    const auto split = workers_for(std::ssize(prompts) * options.samples, at::get_num_threads());
    std::size_t longest = 0;
    for (const auto& prompt : ids) longest = std::max(longest, prompt.size());
    options = within_memory(options, packed_->options(), static_cast<std::int64_t>(longest),
                            split.workers * hypotheses, kShareOfMemory * free_memory_of_machine());
    return use([&] { return std::make_unique<engine::TextDecoder>(*packed_, split.threads); },
               static_cast<std::size_t>(split.workers), ids, options);
  }
  const translation::SearchMode mode(loaded_.model);
  const runtime::PrecisionScope scope(precision_);
  return use([&] { return std::make_unique<ModuleTexts>(loaded_.model); }, std::size_t{1}, ids, options);
}

std::vector<std::vector<Continuation>> TextGenerator::generate(std::span<const std::string> prompts,
                                                               const GenerationOptions& options,
                                                               const GenerationCalls& calls) {
  return with_models(prompts, options, /*hypotheses=*/1,
                     [&](const auto& make, auto workers, const auto& ids, const auto& within) {
                       return generation::generate(make, workers, tokenizer(), ids, within, calls);
                     });
}

std::vector<std::vector<Continuation>> TextGenerator::beam_search(std::span<const std::string> prompts,
                                                                  const GenerationOptions& options,
                                                                  const search::DecodeOptions& decode,
                                                                  const TextSearchCalls& calls) {
  return with_models(prompts, options, 2 * decode.beam,
                     [&](const auto& make, auto workers, const auto& ids, const auto& within) {
                       return beam_texts(make, workers, tokenizer(), ids, within, decode, calls);
                     });
}

}  // namespace transformer::generation
