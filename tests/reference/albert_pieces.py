"""Prints tests/data/constants_albert.h: what AlbertTokenizer of transformers makes of hard lines.

Run: .deps/interop/bin/python tests/reference/albert_pieces.py > tests/data/constants_albert.h
     && clang-format -i tests/data/constants_albert.h
"""

import io

import sentencepiece
import transformers
from transformers import AlbertTokenizer
from transformers.convert_slow_tokenizer import AlbertConverter, import_protobuf

from word_pieces import LINES, literal

SPECIAL = ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
OWN = ["``Quoted'' and '''x`` `y'", "9,9 1,000, 10, and 2,5", "(a) \"b\" - c", "\u2581a a\u2581b", "E\u0301cole e\u0301 A\u030a e\u0302\u0301 \u1ebf",
       "\u1100\u1161\u11a8 \uac01 \u1112\u1161", "tab\t\ttab  two", "I\u0307 \u0130 \u0131", "x\u200d\u0903 \u0915\u093f \u0488a"]
CASES = {"albert_usual": {}, "albert_cased": {"do_lower_case": False}, "albert_accents": {"keep_accents": True},
         "albert_accents_cased": {"keep_accents": True, "do_lower_case": False}}


def trained():
    """The protocol buffer of a small model."""
    file = io.BytesIO()
    lines = [line for line in LINES + OWN if line.strip() and "\0" not in line]
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(lines * 2), model_writer=file, vocab_size=500, model_type="unigram",
                                             pad_id=0, unk_id=1, bos_id=-1, eos_id=-1, control_symbols=SPECIAL[2:], minloglevel=2,
                                             hard_vocab_limit=False, character_coverage=0.98)
    model = import_protobuf().ModelProto()
    model.ParseFromString(file.getvalue())
    return model


def rows_of(tokenizer):
    ids = [tokenizer(line, add_special_tokens=False, split_special_tokens=True)["input_ids"] for line in LINES + OWN]
    return ", ".join("{" + ", ".join(map(str, row)) + "}" for row in ids)


def main():
    model = trained()
    vocabulary = AlbertConverter.vocab(None, model)
    print(f"// Ids by AlbertTokenizer of transformers {transformers.__version__}.\n// Made by: python tests/reference/albert_pieces.py")
    print("#pragma once\n\n#include <cstdint>\n#include <string>\n#include <vector>\n\n#include \"tests/data/constants_word_pieces.h\"\n\nnamespace transformer::test {\n")
    print("/// By their ids, with blanks between; the scores of a model where numbers are not split from commas.")
    print(f"inline const auto albert_pieces = {literal(' '.join(piece.piece for piece in model.pieces))};\n")
    print("inline const std::vector<float> albert_scores{" + ", ".join(f"{piece.score:.8g}F" if piece.score else "0" for piece in model.pieces)
          + "};\n")
    print("inline const auto albert_lines = word_piece_lines + \"\\n\" +\n    " + literal("\n".join(OWN)) + ";\n")
    ids = "inline const std::vector<std::vector<std::int32_t>>"
    for name, options in CASES.items():
        tokenizer = AlbertTokenizer(vocab=vocabulary, _spm_precompiled_charsmap=model.normalizer_spec.precompiled_charsmap, **options)
        print(f"{ids} {name}{{{rows_of(tokenizer)}}};\n")
    print(f"/// Without a map of the model's own.\n{ids} albert_plain{{{rows_of(AlbertTokenizer(vocab=vocabulary))}}};\n")
    print("}  // namespace transformer::test")


if __name__ == "__main__":
    main()
