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

/// Whether a word's form admits a tag: a mark has its own, and another word has no mark's.
bool admits(std::string_view word, std::string_view tag);

/// The word of each tag, counted from 0, or nothing for one that is left out. Words rise. The cost is least,
/// and of equally good alignments the first tags meet the first words. Leaving out a tag or a word costs 2,
/// or 3 if it is a mark's. A word's tag for a mark, or a mark's for a word, costs 3; another mark's tag
/// costs 1.
std::vector<std::optional<std::size_t>> align_tags(const std::vector<std::string_view>& tags,
                                                   const std::vector<std::string_view>& words);

}  // namespace transformer::trees
