// How translations are searched for (section 6.1).
#pragma once

#include <cstdint>

#include "transformer/base/choices.h"

namespace transformer::search {

enum class LengthPenalty {
  gnmt,    ///< the paper: log P / ((5 + |Y|) / 6)^alpha
  length,  ///< log P / |Y|^alpha
};

constexpr const char* name_of(LengthPenalty penalty) {
  switch (penalty) {
    case LengthPenalty::gnmt:
      return "gnmt";
    case LengthPenalty::length:
      return "length";
  }
  no_such_choice();
}

/// The number of continuations that a step takes. Those that end are set aside.
enum class Candidates {
  twice,  ///< 2 · beam, as in tensor2tensor: the best `beam` unfinished ones stay open
  beam,   ///< beam: a finished one takes the place of an open one
  // With a beam of 1 both take one: greedy search, as tensor2tensor's is then.
};

constexpr const char* name_of(Candidates candidates) {
  switch (candidates) {
    case Candidates::twice:
      return "twice";
    case Candidates::beam:
      return "beam";
  }
  no_such_choice();
}

/// The most that `length_offset` may be: time and memory for a sentence that does not end grow with it.
inline constexpr std::int64_t kMostLengthOffset = 4096;

struct DecodeOptions {
  std::int64_t beam = 4;
  Candidates candidates = Candidates::twice;
  double alpha = 0.6;
  LengthPenalty length_penalty = LengthPenalty::gnmt;
  std::int64_t length_offset = 50;   ///< the output may be this many tokens longer than the source
  std::int64_t batch_tokens = 4096;  ///< padded source tokens translated together
  std::int64_t nbest = 1;            ///< hypotheses a sentence, at most `beam`
  bool whole_trees = false;          ///< of a parser: only trees of the sentence's words are found

  bool operator==(const DecodeOptions&) const = default;
};

}  // namespace transformer::search
