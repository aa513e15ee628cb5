// A tree as a sequence of tokens, which a model of pairs can learn to write (Vinyals et al. 2015):
// section 6.3 of the paper.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transformer/trees/bracketed_tree.h"

namespace transformer::trees {

/// The tag of a word whose own tag is not known.
inline constexpr std::string_view kAnyTag = "XX";

/// The tokens of a tree, with a blank between each two, such as "(S (NP DT NN )NP (VP VBD )VP )S". A
/// constituent begins with "(LABEL" and ends with ")LABEL". Each word is its tag, or kAnyTag.
std::string linearised(const BracketedTree& tree, bool tags);

/// The words that restored() finds in a text.
std::vector<std::string_view> words_in(std::string_view text);

struct RestoredTree {
  BracketedTree tree;
  bool mended = false;  ///< the tokens were no tree of these words
};

/// The tree that the tokens describe, of the given words. Tokens that are no tree of so many words are
/// mended:
/// * A missing end of a constituent comes where the next constituent around it ends, or at the end.
/// * An end without a beginning is left out, as is a constituent without words.
/// * Of too many tags some are left out, and of too few some words have none: they get kAnyTag in the
///   constituent where they are, or in the outermost one at the end. align_tags() decides which, and marks
///   have the tag of their form. If all tags are kAnyTag, the last tags or words are taken.
/// * What follows the end of the outermost constituent belongs to it.
/// * Tokens that do not begin with a constituent are put into one labelled S. A lone word's tag needs none.
///
/// align_marks: also aligns as many tags as words if a mark has a tag that is not its form's, or another word
/// has a mark's. Then a model has left out one tag and added another.
///
/// Without words the tree is empty. In words "(" and ")" become -LRB- and -RRB-.
RestoredTree restored(std::string_view tokens, std::string_view words, bool align_marks = false);

}  // namespace transformer::trees
