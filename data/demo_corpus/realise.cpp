// Both sentences of a derivation, and how their words belong together.
#include "data/demo_corpus/grammar.h"

namespace transformer::demo {
namespace {

// He bought the coat because it was cheap. (Relative pronouns refer where their clauses are written.)
void refer_to_object(Words& words, const Sentence& sentence) {
  if (!sentence.other || !sentence.other->subject || !sentence.other->subject->refers_to_object) return;
  refer(words, &sentence.other->subject->pronoun, &sentence.main.accusative->noun, false);
}

}  // namespace

Pair realise(const Sentence& sentence) {
  Words en = english(sentence), de = german(sentence);
  refer_to_object(en, sentence);
  refer_to_object(de, sentence);
  return {text_of(en), text_of(de), tree_of(en), links_between(en, de), references(en), references(de)};
}

}  // namespace transformer::demo
