// Trees as Penn Treebank writes them, in brackets: "(S (NP (DT the) (NN cat)) (VP (VBD sat)))".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace transformer::trees {

/// A phrase: words begin … end - 1 of its sentence.
struct Constituent {
  std::string label;
  std::size_t begin = 0, end = 0;

  bool operator==(const Constituent&) const = default;
};

struct TaggedWord {
  std::string tag, word;

  bool operator==(const TaggedWord&) const = default;
};

/// Constituents come in the order of their opening brackets. A label may be empty, as of Penn's outer
/// bracket.
struct BracketedTree {
  std::vector<Constituent> constituents;
  std::vector<TaggedWord> words;

  bool operator==(const BracketedTree&) const = default;
};

/// The tree of a line. A bracket that holds one word and nothing else is that word with its tag. Throws
/// InputError, which says at which character, for a line that is no tree: brackets that do not match, a word
/// outside them or beside constituents, a bracket without words, or text behind the tree.
BracketedTree parse_tree(std::string_view line);

/// The tree in one line, as parse_tree() reads it.
std::string to_brackets(const BracketedTree& tree);

/// The words with a blank between each two.
std::string words_of(const BracketedTree& tree);

/// The label without function tags and indices: NP of "NP-SBJ-1" and "NP=2", but -NONE- of "-NONE-".
std::string_view plain_label(std::string_view label);

/// The tree as it is learnt and judged:
/// * Words tagged -NONE- (traces, empty elements) are removed, and constituents that have no other words.
/// * Labels lose function tags and indices. The words' tags stay as they are.
/// * An outer bracket without label, or labelled TOP, S1 or ROOT, is removed where it holds one bracket
///   alone, and else labelled TOP.
///
/// Words that are all removed leave an empty tree, which has no brackets.
BracketedTree plain_tree(const BracketedTree& tree);

}  // namespace transformer::trees
