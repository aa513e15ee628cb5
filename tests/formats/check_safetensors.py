#!/usr/bin/env python3
"""The safetensors folder is the model: plain PyTorch computes the native logits from it.

usage: check_safetensors.py BIN_DIR WORK_DIR
"""
import pathlib
import sys

import sentencepiece
import torch

sys.path.insert(0, str(pathlib.Path(__file__).parent / "common"))
from exports import BEGIN, END, Programs, logit_difference, tokenizer_files, trained_model  # noqa: E402
from plain_transformer import PlainTransformer  # noqa: E402

TOLERANCE = 1e-4


def compare(programs, model, sentences):
    """→ the largest difference of logits. The targets are other sentences, in the target's vocabulary."""
    folder = programs.export(model, "safetensors")
    source, target = (sentencepiece.SentencePieceProcessor(model_file=str(f)) for f in tokenizer_files(folder))
    sources, targets = source.encode(sentences), target.encode(sentences[1:] + sentences[:1])
    plain, worst = PlainTransformer(folder), 0.0
    for ids, output, native in zip(sources, targets, programs.logits(model, sources, targets)):
        logits = plain.logits(torch.tensor(ids + [END]), torch.tensor([BEGIN] + output))
        worst = max(worst, logit_difference(logits, native))
    return worst


def main():
    programs = Programs(*sys.argv[1:3])
    sentences, failed = programs.prepare(), False
    models = [(name, model, sentences[:10]) for name, model in programs.random_models()]
    if trained := trained_model():
        models.append((trained[0].name, trained[0], trained[1][:100]))
    for name, model, text in models:
        difference = compare(programs, model, text)
        failed |= not difference <= TOLERANCE
        print(f"  {name:<20} largest logit difference {difference:.1e}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
