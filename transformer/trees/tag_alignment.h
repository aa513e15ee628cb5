// Which word a tag belongs to, where a model has written too few tags or too many.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace transformer::trees {

/// The tag of a word of punctuation, or of a bracket, which its form alone decides: "," of ",", "." of "?".
/// Empty for all other words.
std::string_view tag_of_form(std::string_view word);

/// Whether tag_of_form() has it: , . : `` '' -LRB- -RRB-
bool is_tag_of_form(std::string_view tag);

/// The word of each tag, counted from 0, or nothing for one that is left out. Words rise. As few words and
/// tags as possible are left out, and as few words of punctuation as possible get another word's tag: leaving
/// out costs 2, or 3 of a mark, such a tag 3, another mark's tag 1. Of equally good ones the first tags meet
/// the first words.
std::vector<std::optional<std::size_t>> align_tags(const std::vector<std::string_view>& tags,
                                                   const std::vector<std::string_view>& words);

}  // namespace transformer::trees
