// One step of decoding, seen from a search: which hypotheses are to be continued, and by what.
#pragma once

#include <cstdint>
#include <vector>

namespace transformer::search {

/// No token in particular.
inline constexpr std::int32_t kAnyToken = -1;

/// The hypotheses that a step continues, a row each; all have one length. A sentence's rows stand next to
/// each other, and sentences keep their order; those that are done are left out.
struct StepRows {
  std::vector<std::int32_t> tokens;  ///< the last token of each; kBos in the first step
  std::vector<std::int32_t>
      parents;  ///< the row of the previous step that each continues; unused in the first
  std::vector<std::int32_t> sentences;  ///< its place in the batch; in the first step each has one row
  std::vector<std::int32_t> only;       ///< the one token that may follow, or kAnyToken

  std::size_t size() const { return tokens.size(); }
};

/// The most probable next tokens of each row, best first; kPad and kBos never. Fewer than `width` end in
/// log-probabilities of -infinity.
struct Continuations {
  std::int64_t width = 0;
  std::vector<float> log_probabilities;  ///< (rows, width)
  std::vector<std::int32_t> tokens;      ///< (rows, width)
};

}  // namespace transformer::search
