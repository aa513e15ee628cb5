// What ALBERT's tokenizer does to a text before its unigram model splits it (Lan et al. 2020).
#pragma once

#include <string>
#include <string_view>

#include "transformer/data/unigram_model.h"

namespace transformer::data {

/// Keys of tokenizer_config.json.
struct AlbertRules {
  bool lower_case = true;
  bool keep_accents = false;
};

/// A map of characters (character_map.h) by which SentencePiece does to a text what transformers'
/// AlbertTokenizer does, in this order:
/// * `` and '' become ".
/// * Characters are decomposed (NFKD) and lose their marks (category M), unless accents are kept.
/// * Letters become small, unless their case is kept.
/// * The model's own map replaces them, and all white space becomes a blank.
///
/// own: the model's map, or empty.
///
/// tokenizers applies a model's map to a character, or to all of a character with its marks where these have
/// less than six bytes. So is this one, except that a kept accent that is a character of its own joins the
/// one before it also where further marks follow. All single characters are equal but the capitals of Unicode
/// 16 and later, which ICU may not know. Throws std::runtime_error for a damaged map.
std::string albert_map(std::string_view own, const AlbertRules& rules);

/// Rounds scores so that fp32, in which SentencePiece adds them, adds some hundreds without an error.
/// tokenizers adds in fp64. Errors would decide where several ways have equal sums, as in "www" or "!!!".
void round_scores(UnigramModel& model);

/// ALBERT splits numbers in front of commas: a piece such as "▁9," is never taken where there is another way.
/// This is transformers' form of the rule, a score less by 100.
void split_numbers_from_commas(UnigramModel& model);

}  // namespace transformer::data
