#!/usr/bin/env python3
"""llama.cpp runs the exported file: the same tokens of a text, the same logits, the same greedy continuations.

It needs llama-cpp-python, which `tests/formats/setup_llama.sh` builds. Without it the check is skipped.

usage: check_gguf.py BIN_DIR WORK_DIR
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "common"))
from exports import BEGIN, END, Programs, longest_equal, logit_difference, stories, tokenizer_of  # noqa: E402

try:
    import numpy
    import torch
    from llama_cpp import GGML_TYPE_F32, Llama
except ImportError as missing:
    print(f"  skipped: {missing} (tests/formats/setup_llama.sh builds llama-cpp-python)")
    sys.exit(0)

TOLERANCE = 1e-3
CONTINUED = 100


class Reader:
    def __init__(self, file):
        # In fp32 throughout: keys and values are fp16 otherwise.
        self.model = Llama(str(file), n_ctx=256, n_threads=1, n_threads_batch=1, logits_all=True, verbose=False,
                           type_k=GGML_TYPE_F32, type_v=GGML_TYPE_F32)

    def logits(self, ids):
        self.model.reset()
        self.model.eval(ids)
        return torch.from_numpy(self.model.scores[:len(ids)].copy())

    def continue_text(self, ids, tokens):
        self.model.reset()
        self.model.eval(ids)
        found = []
        while len(found) < tokens:
            scores = self.model.scores[self.model.n_tokens - 1].copy()
            scores[1:3] = -numpy.inf  # padding and begin
            found.append(int(scores.argmax()))
            if found[-1] == END:
                return found[:-1]
            self.model.eval(found[-1:])
        return found


def main():
    programs = Programs(*sys.argv[1:3])
    sentences, failed = programs.prepare(), False
    models = []
    for name, model in programs.random_language_models():
        if refused := programs.refused_key(name, model, "gguf"):
            print(f"  {name:<20} refused: {refused}")
        else:
            models.append((name, model, sentences[:8]))
    models += stories(programs)
    for name, model, texts in models:
        for precision in ("fp32", "fp16", "int8"):
            reader = Reader(programs.export(model, "gguf", precision))
            ids = tokenizer_of(programs, model).encode(texts)
            same = sum(reader.model.tokenize(text.encode()) == [BEGIN] + row for text, row in zip(texts, ids))
            equal, tokens = 0, 0
            for ours, row in zip(programs.generate(model, texts, CONTINUED), ids):
                theirs = reader.continue_text([BEGIN] + row, CONTINUED)
                equal += longest_equal(ours, theirs)
                tokens += max(len(ours), len(theirs))
            worst = max(logit_difference(reader.logits([BEGIN] + row), expected)
                        for row, expected in zip(ids, programs.logits(model, [[]] * len(ids), [[BEGIN] + row for row in ids])))
            if precision == "fp32":
                failed |= not worst <= TOLERANCE or equal < tokens
            failed |= same < len(texts)
            print(f"  {name:<20} {precision}: {same} of {len(texts)} texts give the same tokens; {equal} of {tokens} "
                  f"greedy tokens equal; largest difference of a logit {worst:.1e}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
