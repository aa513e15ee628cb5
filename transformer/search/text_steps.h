// The steps of a search by a model of texts: each hypothesis is a text that begins with its prompt.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transformer/search/step.h"
#include "transformer/search/text_model.h"

namespace transformer::search {

/// A Step, whose sentences are prompts.
class TextSteps {
 public:
  /// prompts: ids, none empty. Model and prompts must outlive it. No other text of the model may be open.
  TextSteps(TextModel& model, std::span<const std::vector<std::int32_t>> prompts);
  ~TextSteps();
  TextSteps(const TextSteps&) = delete;
  TextSteps& operator=(const TextSteps&) = delete;

  /// The first step reads the prompts, in the place of kBos.
  void operator()(const StepRows& rows, std::int64_t width, Continuations& best);

 private:
  void follow(const StepRows& rows);

  TextModel& model_;
  std::span<const std::vector<std::int32_t>> prompts_;
  std::vector<std::int64_t> texts_;  // of the last step's rows
  std::int64_t next_text_ = 0;
  std::vector<std::int32_t> order_;  // of the tokens of a row
};

}  // namespace transformer::search
