// Ids that every tokenizer of this project reserves.
#pragma once

#include <cstdint>

namespace transformer {

inline constexpr std::int32_t kUnknown = 0;
inline constexpr std::int32_t kPad = 1;
inline constexpr std::int32_t kBos = 2;  ///< beginning of sequence: starts the decoder's input
inline constexpr std::int32_t kEos = 3;  ///< end of sequence: ends the source and the decoder's output

}  // namespace transformer
