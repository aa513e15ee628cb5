// The words that the paper's BLEU of English to German counts (section 6.1, Table 2). The results that it
// compares itself with, and tensor2tensor's script for its own, put a translation through Moses' tokenizer
// (tokenizer.perl -l de, without its -a), break compounds at their hyphens, and score the words by
// multi-bleu.perl, which is BLEU without a tokenization of its own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace transformer::eval {

/// The words of Moses' tokenizer for German. What is neither a letter, a digit nor one of . ' ` , - is a word
/// of its own, and so is ' everywhere. A comma stays between two numbers only, two or more full stops stay
/// together. A word keeps the full stop at its end if there is another one and a letter in it ("z.B."), if it
/// is an abbreviation (german_abbreviations.h), or if the next word begins with a small letter.
///
/// Characters are written as they are. The Perl program writes & | < > ' " [ ] as &amp; and so on, which
/// makes different words of different words, so that BLEU is the same.
std::vector<std::string> tokenize_moses_german(std::string_view line);

/// Stands for the hyphen of a compound.
inline constexpr std::string_view kCompoundHyphen = "##AT##-##AT##";

/// Breaks words at each hyphen between two characters: "Text-Format" has the words Text, kCompoundHyphen and
/// Format. As by Perl's s/(\S)-(\S)/$1 ##AT##-##AT## $2/g, a character is beside one hyphen only: "a-b-c" has
/// the words a, kCompoundHyphen and b-c.
std::vector<std::string> split_compounds(const std::vector<std::string>& words);

}  // namespace transformer::eval
