#include "transformer/formats/continuation.h"

#include "transformer/base/special_tokens.h"

namespace transformer::formats {

bool is_language_model(const models::AnyModel& model) {
  return model.ptr()->as_sequence_to_sequence() == nullptr && model.ptr()->as_language_model() != nullptr;
}

torch::Tensor continuation_logits(models::LanguageModel& model, const torch::Tensor& text,
                                  const torch::Tensor& continuation) {
  const auto whole = torch::cat({text, continuation.slice(1, 1)}, 1);
  return model.logits(model.states(whole).slice(1, text.size(1) - 1));
}

search::Hypothesis continue_greedily(models::LanguageModel& model, const torch::Tensor& text,
                                     std::int64_t tokens) {
  const auto state = model.start(text.slice(1, 0, -1));
  auto last = text.slice(1, -1);
  search::Hypothesis found;
  while (std::ssize(found.ids) < tokens) {
    auto logits = model.step(last, *state)[0][0].to(torch::kFloat);
    logits.slice(0, kPad, kEos).fill_(-std::numeric_limits<float>::infinity());
    last = logits.argmax().view({1, 1});
    const auto token = last.item<std::int64_t>();
    if (token == kEos) break;
    found.ids.push_back(static_cast<std::int32_t>(token));
  }
  return found;
}

}  // namespace transformer::formats
