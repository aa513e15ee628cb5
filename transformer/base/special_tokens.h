// Ids that every tokenizer of this project reserves.
#pragma once

#include <cstdint>

namespace transformer {

inline constexpr std::int32_t kUnknown = 0;
inline constexpr std::int32_t kPad = 1;
inline constexpr std::int32_t kBegin = 2;  ///< starts the decoder's input
inline constexpr std::int32_t kEnd = 3;    ///< ends the source and the decoder's output

}  // namespace transformer
