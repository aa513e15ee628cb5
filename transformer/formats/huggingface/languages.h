// The languages of M2M-100 and its kin, which no file of theirs lists.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace transformer::formats::seq2seq {

/// M2M100Tokenizer's names of its two lists: that of M2M-100, and that of WMT 2021.
inline constexpr std::array<const char*, 2> kLanguageCodes{"m2m100", "wmt21"};

/// The tokens of a list, "__en__", in the order of their ids. Another name means the first list.
std::vector<std::string> language_tokens(std::string_view codes);

/// "en" of the token "__en__"; nothing of other pieces.
std::string language_of(std::string_view token);

}  // namespace transformer::formats::seq2seq
