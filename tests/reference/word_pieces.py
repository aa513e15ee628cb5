"""Prints tests/data/constants_word_pieces.h: what BertTokenizer of transformers makes of hard lines.

Run: .deps/interop/bin/python tests/reference/word_pieces.py > tests/data/constants_word_pieces.h
     && clang-format -i tests/data/constants_word_pieces.h
"""

import tokenizers
import transformers
from transformers import BertTokenizer

SPECIAL = ["[UNK]", "[PAD]", "[CLS]", "[SEP]", "<mask>"]
LINES = [
    "The cat's hat isn't here, is it?", "We'll see 12 of them, or 1,234.50!", "UNAFFABLE unaffable Unaffable",
    "Ein Mädchen läuft über die Straße.", "Où est l'été, à Noël? Ça alors!", "naïve café, rôle, piñata",
    "e\u0301te\u0301 and \u00e9t\u00e9", "A\u030angstro\u0308m, \u00c5ngstr\u00f6m", "Tiếng Việt rất đẹp", "İstanbul ılık ISPARTA",
    "ΟΔΥΣΣΕΎΣ ὀδυσσεύς ς Σ", "Москва — столица России, ёлка", "日本語のテキストです。", "中文字符，没有空格", "漢字kanji混ざるtext",
    "한국어 문장입니다", "ภาษาไทย ไม่มีช่องว่าง", "हिन्दी में लिखा हुआ", "العربية مِنْ اليمين", "עברית עִם נִקּוּד", "𠀀𪜀 rare 𫝀 鿿",
    "🙂 smile 🙂🙂 👩\u200d👩\u200d👧 ☂️", "a\u200bb zero\u200cwidth\ufeff join\u2060er", "soft\u00adhyphen", "tab\tand\rreturn\u000bvertical",
    "a\u00a0b\u3000c\u2003d\u2028e\u2029f", "null\u0000byte bell\u0007 del\u007f \u0085 nel", "\ufffd replacement \ufffe",
    "!!! ??? ... --- ___ $$$ ^^^ `~|<>=+", "a_b a-b a+b a=b a<b a`b a~b", "«Bonjour» „Hallo“ ‘x’ “y” – — …", "¿Qué? ¡Hola! §5 ¶ · † ‡ • ‰",
    "€5 £6 ¥7 ₹8 ©®™ °C ½ ² ³ № ℃", "http://www.example.org/path?query=a&b=c#d", "someone@example.org, #tag @user", "x" * 100,
    "x" * 101, "ab" * 50 + " " + "ab" * 51, "é" * 100 + " " + "é" * 101, "\u0301 alone \u0301\u0302", "##ing ## # ##s", "[MASK", "(a)[b]{c}<d>",
    "", " ", "   many    blanks   ", "ﬁne ﬂow ﬀ ligatures Ⅷ ①", "ＦＵＬＬ ｗｉｄｔｈ １２３", "ａ。ｂ、ｃ！", "\u1d2c \u02b0 \u2071 modifiers", "Ĳssel Ǆ ǅ ǆ",
    "Ω Å K signs", "\u1e9e ẞ ß SS", "Ⴀ Ა Ꭰ ꭰ cases", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝕄ath 𐐀𐐨", "\u061d \u2e5d newer punctuation", "\ue000 private \U000f0000 use",
    "\u0600 \u06dd \u070f \u08e2 prepended", "zwnj می\u200cخواهم", "1.5e-3 0x1F 3/4 50%", "\u166d \U000111c9 \u1734 \u1885a", "\u0378 unassigned \U0001fae8",
    "don't DON'T o'clock rock'n'roll", "\u2018quoted\u2019 it\u2019s", "ﷺ ㎏ ㍿ ㌀", "क्षत्रिय ক্ষ ਪੰਜਾਬੀ", "ﾊﾝｶｸ ハンカク ｶﾞ ガ", "a\u0327\u0301 ḉ ç\u0301",
]
CASES = {"uncased": {}, "cased": {"do_lower_case": False}, "accents": {"strip_accents": False},
         "cased_stripped": {"do_lower_case": False, "strip_accents": True}, "joined": {"tokenize_chinese_chars": False}}


def literal(text):
    """One string of C++, in ASCII, with its size."""
    escaped = "".join(chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else f"\\{b:03o}" for b in text.encode("utf-8"))
    return f'std::string("{escaped}", {len(text.encode("utf-8"))})'


def vocabulary():
    pieces = list(SPECIAL)
    for lower in True, False:
        trained = tokenizers.BertWordPieceTokenizer(lowercase=lower)
        lines = [line for line in LINES if "\u0378" not in line]  # some characters stay unknown
        trained.train_from_iterator(lines * 3, vocab_size=560, min_frequency=2, show_progress=False, special_tokens=SPECIAL)
        found = trained.get_vocab()
        pieces += [piece for piece in sorted(found, key=found.get) if piece not in pieces]
    return pieces


def main():
    pieces = vocabulary()
    print(f"// WordPiece's ids by BertTokenizer of transformers {transformers.__version__}.\n// Made by: python tests/reference/word_pieces.py")
    print("#pragma once\n\n#include <cstdint>\n#include <string>\n#include <vector>\n\nnamespace transformer::test {\n")
    print(f"/// With blanks between.\ninline const auto word_pieces = {literal(' '.join(pieces))};\n")
    print("inline const auto word_piece_lines =\n    " + literal("\n".join(LINES)) + ";\n")
    for name, options in CASES.items():
        tokenizer = BertTokenizer(vocab={piece: id for id, piece in enumerate(pieces)}, mask_token="<mask>", **options)
        ids = [tokenizer(line, add_special_tokens=False, split_special_tokens=True)["input_ids"] for line in LINES]
        rows = ", ".join("{" + ", ".join(map(str, row)) + "}" for row in ids)
        print(f"inline const std::vector<std::vector<std::int32_t>> word_pieces_{name}{{{rows}}};\n")
    print("}  // namespace transformer::test")


if __name__ == "__main__":
    main()
