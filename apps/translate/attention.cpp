#include "apps/translate/attention.h"

#include "transformer/runtime/device.h"
#include "transformer/translation/text_translation.h"

namespace transformer::apps {

TranslationAttention::TranslationAttention(const AttentionFiles& files,
                                           const LineTranslationSettings& settings,
                                           const std::vector<std::filesystem::path>& inputs)
    : output_(files, settings.model, inputs) {
  if (!output_.is_wanted()) return;
  const auto& options = settings.translator;
  loaded_.emplace(checkpoints::load_model(settings.model, runtime::choose_device(options.device)));
  loaded_->tokenizers =
      checkpoints::with_languages(loaded_->tokenizers, options.source_language, options.target_language);
  output_.check(loaded_->model);
}

void TranslationAttention::add(const std::vector<std::string>& lines,
                               const std::vector<TranslatedLine>& translated) {
  if (!loaded_) return;
  const auto longest = translation::longest_source(loaded_->model->options());
  std::vector<translation::ForcedPair> pairs;
  for (std::size_t i = 0; i < lines.size(); ++i)
    pairs.push_back({translation::encode_as_translated(lines[i], *loaded_->tokenizers.source, longest),
                     translated[i].best});
  output_.add(loaded_->model, loaded_->tokenizers, pairs, translation::TextOrigin::decoded);
}

}  // namespace transformer::apps
