// Prompts in, continuations out: the tokens of each text are drawn one by one.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "transformer/generation/continuation.h"
#include "transformer/generation/options.h"
#include "transformer/search/text_model.h"

namespace transformer::generation {

struct GenerationCalls {
  /// Told of each token that a text has got: the prompt's place, the sample, and the continuation so far.
  /// Called by one thread at a time. Its text is known only with `spelled`, which takes time for each token.
  std::function<void(std::size_t prompt, std::int64_t sample, const Continuation& so_far)> token = {};
  bool spelled = false;
  /// Before each step; may throw to stop.
  std::function<void()> before_step = {};
};

using MakeTextModel = std::function<std::unique_ptr<search::TextModel>()>;

/// Throws InputError, naming the option or the prompt, for what cannot be.
void check(const GenerationOptions& options, std::span<const std::vector<std::int32_t>> prompts);

/// For each prompt, options.samples continuations. prompts: ids, each with what a text begins with in front;
/// none is empty. make: a model for each of `workers` threads, which share the texts among them evenly. What
/// is drawn for a text depends on the seed, its prompt's place, its sample and the model's logits alone.
/// Throws as check() does.
std::vector<std::vector<Continuation>> generate(const MakeTextModel& make, std::size_t workers,
                                                const data::Tokenizer& tokenizer,
                                                std::span<const std::vector<std::int32_t>> prompts,
                                                const GenerationOptions& options,
                                                const GenerationCalls& calls = {});

}  // namespace transformer::generation
