// What the words of a sentence stand for. Both sentences of a derivation are written out of the same tree:
// words that stand for the same part of it translate each other.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "data/demo_corpus/lexicon.h"

namespace transformer::demo {

/// A part of a derivation, by its address.
struct Meaning {
  const void* part = nullptr;
  std::size_t word = 0;  ///< which of the part's words, where it has several
  bool sure = true;      ///< else the word only helps to say it: "does", "to"
};

struct Word {
  std::string text;
  std::vector<Meaning> says = {};   ///< nothing: a mark, or a word that the other language lacks
  const void* refers_to = nullptr;  ///< of a pronoun: the part that its noun stands for
  bool is_relative = false;         ///< the pronoun: who, whose, der, deren
  std::string opens = {};           ///< brackets of the tree that begin here: "(S (NP "
  std::size_t closes = 0;           ///< how many end here
};

using Words = std::vector<Word>;

void append(Words& words, const Words& more);

/// Makes the words a constituent of the tree, if there are any.
Words bracketed(const char* label, Words words);

/// Each word of a text, with one meaning.
Words words_saying(const std::string& text, const Meaning& meaning);

/// Makes the words that say `pronoun` refer to those that say `noun`.
void refer(Words& words, const void* pronoun, const void* noun, bool is_relative);

/// A text that is translated as a whole, in one language; `part` is what it stands for.
Words english_phrase(const Phrase& phrase, const void* part);
Words german_phrase(const Phrase& phrase, const void* part);

/// A word of the English and one of the German text, counted from 0, as spaces part them: a mark belongs to
/// the word before it.
struct WordLink {
  std::size_t en = 0, de = 0;
  bool sure = true;  ///< else no more than possible
};

/// Words that translate each other, by rising English words, then German ones.
std::vector<WordLink> links_between(const Words& english, const Words& german);

/// A pronoun and the noun that it refers to, words counted as above. A compound of several words is its last
/// one.
struct Reference {
  std::size_t pronoun = 0, noun = 0;
  bool is_relative = false;
};
std::vector<Reference> references(const Words& words);

/// Pharaoh's format: "0-0 1-2", where "2?1" is a link that is no more than possible; and of references, those
/// of relative pronouns or the others, the pronoun's word, then the noun's: "7-5".
std::string pharaoh(const std::vector<WordLink>& links);
std::string pharaoh(const std::vector<Reference>& references, bool relative);

/// The words as a line (join_sentence).
std::string text_of(const Words& words);

/// The tree that the brackets describe, in Penn's form. Each word's tag is XX, but those of marks.
std::string tree_of(const Words& words);

}  // namespace transformer::demo
