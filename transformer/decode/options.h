// How translations are searched for (section 6.1).
#pragma once

#include <cstdint>

namespace transformer::decode {

enum class LengthPenalty {
  gnmt,    ///< the paper: log P / ((5 + |Y|) / 6)^alpha
  length,  ///< log P / |Y|^alpha
};

struct DecodeOptions {
  std::int64_t beam = 4;
  double alpha = 0.6;
  LengthPenalty length_penalty = LengthPenalty::gnmt;
  std::int64_t length_offset = 50;   ///< the output may be this many tokens longer than the source
  std::int64_t batch_tokens = 4096;  ///< padded source tokens translated together
  std::int64_t nbest = 1;            ///< hypotheses a sentence, at most `beam`

  bool operator==(const DecodeOptions&) const = default;
};

}  // namespace transformer::decode
