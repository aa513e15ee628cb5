// The words that Moses' tokenizer finds (tokenizer.perl -l de, en or fr, without its -a), by which BLEU of
// tokenised text is measured: that of multimodal translation, of lower-cased Multi30k, and the paper's of
// English to German (section 6.1, Table 2). The results that the paper compares itself with, and
// tensor2tensor's script for its own, put a translation through this tokenizer, break compounds at their
// hyphens, and score the words by multi-bleu.perl, which is BLEU without a tokenization of its own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace transformer::eval {

enum class MosesLanguage { german, english, french };

/// The words of Moses' tokenizer for a language. What is neither a letter, a digit nor one of . ' ` , - is a
/// word of its own. A comma stays between two numbers only, two or more full stops stay together. A word
/// keeps the full stop at its end if there is another one and a letter in it ("z.B."), if it is an
/// abbreviation in its place (abbreviations.h), or if the next word begins with a small letter.
///
/// Of German ' is a word everywhere. Of English and French it is one unless letters are on both sides; there
/// it begins an English word ("don 't", and so it does in "1990 's") and ends a French one ("l' homme"). It
/// stays where it is at either end of the line, except behind a full stop at the end.
///
/// These are the Perl program's rules of the years 2016 to 2018, and those of sacremoses. Earlier ones left a
/// comma behind a number, and a full stop before ', at the end of the line; later ones take the full stop off
/// the last word always.
///
/// Characters are written as they are. The Perl program writes & | < > ' " [ ] as &amp; and so on, which
/// makes different words of different words, so that BLEU is the same.
std::vector<std::string> tokenize_moses(std::string_view line, MosesLanguage language);

/// Stands for the hyphen of a compound.
inline constexpr std::string_view kCompoundHyphen = "##AT##-##AT##";

/// Breaks words at each hyphen between two characters: "Text-Format" has the words Text, kCompoundHyphen and
/// Format. As by Perl's s/(\S)-(\S)/$1 ##AT##-##AT## $2/g, a character is beside one hyphen only: "a-b-c" has
/// the words a, kCompoundHyphen and b-c.
std::vector<std::string> split_compounds(const std::vector<std::string>& words);

}  // namespace transformer::eval
