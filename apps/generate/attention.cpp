#include "apps/generate/attention.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "transformer/runtime/device.h"

namespace transformer::apps {

TextAttention::TextAttention(const AttentionFiles& files, const std::string& model, const std::string& device,
                             const std::vector<std::filesystem::path>& inputs)
    : output_(files, model, inputs) {
  if (!output_.is_wanted()) return;
  loaded_.emplace(checkpoints::load_model(model, runtime::choose_device(device)));
  output_.check(loaded_->model);
}

void TextAttention::add(const generation::TextGenerator& generator, std::span<const std::string> prompts,
                        std::span<const std::vector<generation::Continuation>> found) {
  if (!loaded_) return;
  const auto longest =
      models::longest_sequence(loaded_->model->options()).value_or(std::numeric_limits<std::int64_t>::max());
  std::vector<translation::ForcedPair> texts;
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    auto ids = generator.ids_of(prompts[i]);
    const auto& continuation = found[i].front().ids;
    ids.insert(ids.end(), continuation.begin(), continuation.end());
    translation::ForcedPair text{.first = ids.front()};
    if (std::ssize(ids) > longest) {  // the last token was written, and not read
      text.last = ids.back();
      ids.pop_back();
    }
    text.target.assign(ids.begin() + 1, ids.end());
    texts.push_back(std::move(text));
  }
  output_.add(loaded_->model, loaded_->tokenizers, texts, translation::TextOrigin::decoded);
}

}  // namespace transformer::apps
