// A search's view of its candidates and its decisions, to explain its result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "transformer/base/choices.h"

namespace transformer::search {

/// The fate of a continuation that a step looks at (beam_search.h).
enum class Fate {
  open,         ///< among the best `beam` unfinished ones: the next step continues it
  finished,     ///< ends here, and is set aside with its score
  crowded_out,  ///< taken, but `beam` better ones stay open
  passed_over,  ///< not among the ones that a step takes
  given_up      ///< could go on, but can no longer beat the finished ones
};

constexpr const char* name_of(Fate fate) {
  switch (fate) {
    case Fate::open:
      return "open";
    case Fate::finished:
      return "finished";
    case Fate::crowded_out:
      return "crowded_out";
    case Fate::passed_over:
      return "passed_over";
    case Fate::given_up:
      return "given_up";
  }
  no_such_choice();
}

/// An open hypothesis continued by one token.
struct Considered {
  std::size_t from = 0;  ///< its place among the open hypotheses, the most probable one being 0
  std::int32_t token = 0;
  float log_probability = 0.0F;  ///< of the token alone, natural logarithm
  float total = 0.0F;            ///< of the hypothesis with it
  Fate fate = Fate::passed_over;
  double penalty = 1.0;  ///< length_penalty of what is finished; what is not has none yet
  double score = 0.0;    ///< of what is finished: total / penalty
};

/// One step of one sentence.
struct ObservedStep {
  std::size_t sentence = 0;  ///< its place in the batch
  std::int64_t length = 0;   ///< tokens of the open hypotheses before the step
  /// The most probable first. Those that are open are, in this order, the open hypotheses of the next step.
  std::vector<Considered> considered;
};

/// Called after each step, with the sentences in their order.
using Observer = std::function<void(const ObservedStep& step)>;

}  // namespace transformer::search
