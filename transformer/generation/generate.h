// Prompts in, continuations out: the tokens of each text are drawn one by one.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transformer/base/choices.h"
#include "transformer/data/tokenizer.h"
#include "transformer/generation/options.h"
#include "transformer/search/text_model.h"

namespace transformer::generation {

/// Why a continuation is over.
enum class End {
  token,   ///< the model drew the end of a text
  stop,    ///< one of GenerationOptions::stop would have begun
  limit,   ///< max_tokens
  window,  ///< the text has as many tokens as the model can read
};

constexpr const char* name_of(End end) {
  switch (end) {
    case End::token:
      return "end";
    case End::stop:
      return "stop";
    case End::limit:
      return "limit";
    case End::window:
      return "window";
  }
  no_such_choice();
}

struct Continuation {
  std::vector<std::int32_t> ids = {};              ///< without the end token
  std::vector<double> log_probabilities = {};      ///< of each, by the model alone: natural logarithms
  std::string text = {};                           ///< of the continuation; with `stop` up to there
  std::optional<double> end_log_probability = {};  ///< of the end token, if it was drawn
  End end = End::limit;
};

struct GenerationCalls {
  /// Told of each token that a text has got: the prompt's place, the sample, and the continuation so far.
  /// Called by one thread at a time. Its text is known only with `spelled`, which takes time for each token.
  std::function<void(std::size_t prompt, std::int64_t sample, const Continuation& so_far)> token = {};
  bool spelled = false;
  /// Before each step; may throw to stop.
  std::function<void()> before_step = {};
};

/// For each prompt, options.samples continuations. prompts: ids, each with what a text begins with in front;
/// none is empty. make: a model for each of `workers` threads, which share the texts among them evenly. What
/// is drawn for a text depends on the seed, its prompt's place, its sample and the model's logits alone.
/// Throws InputError for options that cannot be, and for a prompt that is longer than the window.
std::vector<std::vector<Continuation>> generate(
    const std::function<std::unique_ptr<search::TextModel>()>& make, std::size_t workers,
    const data::Tokenizer& tokenizer, std::span<const std::vector<std::int32_t>> prompts,
    const GenerationOptions& options, const GenerationCalls& calls = {});

}  // namespace transformer::generation
