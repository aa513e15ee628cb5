#include "transformer/generation/beam_texts.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "transformer/search/beam_search.h"
#include "transformer/search/text_steps.h"
#include "transformer/translation/workers.h"

namespace transformer::generation {
namespace {

/// The most tokens of a prompt's continuation. As in generate(), the last one need not be read.
std::int64_t limit_of(std::span<const std::int32_t> prompt, const GenerationOptions& options) {
  if (options.window == 0) return options.max_tokens;
  return std::min(options.max_tokens, options.window + 1 - std::ssize(prompt));
}

Continuation continuation_of(const data::Tokenizer& tokenizer, std::span<const std::int32_t> prompt,
                             search::Hypothesis hypothesis, const GenerationOptions& options) {
  Continuation found;
  found.text = text_behind(tokenizer, prompt, hypothesis.ids);
  const bool whole = std::ssize(hypothesis.ids) == options.max_tokens;
  found.end = hypothesis.finished ? End::token : whole ? End::limit : End::window;
  found.ids = std::move(hypothesis.ids);
  found.log_probability = hypothesis.log_probability;
  found.score = hypothesis.score;
  return found;
}

}  // namespace

std::vector<std::vector<Continuation>> beam_texts(const MakeTextModel& make, std::size_t workers,
                                                  const data::Tokenizer& tokenizer,
                                                  std::span<const std::vector<std::int32_t>> prompts,
                                                  const GenerationOptions& options,
                                                  const search::DecodeOptions& decode,
                                                  const TextSearchCalls& calls) {
  check(options, prompts);
  std::vector<std::vector<Continuation>> found(prompts.size());
  if (options.max_tokens == 0) {
    for (auto& of_prompt : found) of_prompt.resize(1);
    return found;
  }
  std::mutex mutex;
  std::size_t done = 0;
  const auto locked_before_step = [&] {
    const std::lock_guard lock(mutex);
    calls.before_step();
  };
  std::vector<std::unique_ptr<search::TextModel>> models(workers);
  const auto size = static_cast<std::size_t>(
      std::max(options.batch / std::max(decode.beam, std::int64_t{1}), std::int64_t{1}));
  const auto search_batch = [&](std::size_t worker, std::size_t piece) {
    const auto first = piece * size;
    const auto batch = prompts.subspan(first, std::min(size, prompts.size() - first));
    const auto observer = [&](const search::ObservedStep& step) {
      auto of_prompt = step;
      of_prompt.sentence += first;
      const std::lock_guard lock(mutex);
      calls.observer(of_prompt);
    };
    if (!models[worker]) models[worker] = make();
    std::vector<std::int64_t> limits;
    for (const auto& prompt : batch) limits.push_back(limit_of(prompt, options));
    search::TextSteps steps(*models[worker], batch);
    auto best = search::beam_search(limits, decode, std::ref(steps),
                                    calls.before_step ? search::BeforeStep(locked_before_step) : nullptr,
                                    calls.observer ? search::Observer(observer) : nullptr, {.cut = true});
    for (std::size_t i = 0; i < batch.size(); ++i)
      for (auto& hypothesis : best[i])
        found[first + i].push_back(continuation_of(tokenizer, batch[i], std::move(hypothesis), options));
    const std::lock_guard lock(mutex);
    done += batch.size();
    if (calls.progress) calls.progress(done);
  };
  translation::for_pieces(workers, (prompts.size() + size - 1) / size, search_batch);
  return found;
}

}  // namespace transformer::generation
