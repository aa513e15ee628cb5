// The words that Moses' tokenizer finds (tokenizer.perl -l de, en or fr, without its -a). BLEU of tokenised
// text uses them: in multimodal translation, for lower-cased Multi30k, and in the paper for English to German
// (section 6.1, Table 2). The results that the paper compares itself with, and the script of tensor2tensor,
// take three steps: this tokenizer, a split of compounds at their hyphens, and multi-bleu.perl, which does
// not tokenize.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace transformer::eval {

enum class MosesLanguage { german, english, french };

/// The words of Moses' tokenizer for a language.
/// * A character is a word of its own unless it is a letter, a digit or one of . ' ` , -.
/// * A comma stays only between two numbers.
/// * Two or more full stops stay together.
/// * A word keeps the full stop at its end if it has another one and a letter in it ("z.B."), if it is an
///   abbreviation in its place (abbreviations.h), or if the next word begins with a small letter.
/// * In German, ' is always a word.
/// * In English and French, ' is a word unless letters are on both sides. Between letters it begins an
///   English word ("don 't", also "1990 's") and ends a French one ("l' homme"). At either end of the line it
///   stays with its word, except behind a full stop at the end.
///
/// These are the Perl program's rules of the years 2016 to 2018, and those of sacremoses. Earlier versions
/// left a comma behind a number, and a full stop before ', at the end of the line. Later ones always take the
/// full stop off the last word.
///
/// Characters are written as they are. The Perl program writes & | < > ' " [ ] as &amp; and so on. This maps
/// different words to different words, so BLEU is the same.
std::vector<std::string> tokenize_moses(std::string_view line, MosesLanguage language);

/// Stands for the hyphen of a compound.
inline constexpr std::string_view kCompoundHyphen = "##AT##-##AT##";

/// Breaks words at each hyphen between two characters: "Text-Format" has the words Text, kCompoundHyphen and
/// Format. As by Perl's s/(\S)-(\S)/$1 ##AT##-##AT## $2/g, a character is beside one hyphen only: "a-b-c" has
/// the words a, kCompoundHyphen and b-c.
std::vector<std::string> split_compounds(const std::vector<std::string>& words);

}  // namespace transformer::eval
