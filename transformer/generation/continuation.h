// What follows a prompt.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transformer/base/choices.h"
#include "transformer/data/tokenizer.h"

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
  std::vector<std::int32_t> ids = {};  ///< without the end token
  std::vector<double> log_probabilities =
      {};                 ///< of each that was drawn, by the model alone: natural logarithms
  std::string text = {};  ///< of the continuation; with `stop` up to there
  std::optional<double> end_log_probability = {};  ///< of the end token, if it was drawn
  End end = End::limit;
  // Beam search sets these:
  std::optional<double> log_probability = {};  ///< of all tokens, an end token's share included
  std::optional<double> score = {};            ///< log_probability by the length penalty
};

/// The text that ids add to that of a prompt, which has what texts begin with in front.
std::string text_behind(const data::Tokenizer& tokenizer, std::span<const std::int32_t> prompt,
                        std::span<const std::int32_t> ids);

}  // namespace transformer::generation
