#!/usr/bin/env python3
"""What transformer-score --attention writes are the weights that plain PyTorch applies, of every kind of model.

usage: check_attention.py BIN_DIR WORK_DIR
"""
import json
import pathlib
import sys

import sentencepiece
import torch

sys.path.insert(0, str(pathlib.Path(__file__).parent / "common"))
from exports import BEGIN, END, Programs, tokenizer_files, trained_model  # noqa: E402
from plain_transformer import PlainTransformer  # noqa: E402

TOLERANCE = 2e-5  # numbers are written with six decimals
KINDS = {("encoder", "self_attention"): "encoder", ("decoder", "self_attention"): "masked",
         ("decoder", "source_attention"): "cross"}


def compare(programs, model, sentences):
    """→ the largest difference of weights. The targets are other sentences, as text of the target's language."""
    files = programs.work / "source.txt", programs.work / "target.txt"
    texts = sentences, sentences[1:] + sentences[:1]
    for file, lines in zip(files, texts):
        file.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    maps = programs.work / "maps.json"
    programs.run("transformer-score", "--model", model, "--source", files[0], "--target", files[1], "--precision", "fp32",
                 "--threads", "1", "--quiet", "--attention", maps, "--overwrite")
    shown = json.loads(maps.read_text())["sentences"]
    folder = programs.export(model, "safetensors")
    pieces = [sentencepiece.SentencePieceProcessor(model_file=str(f)) for f in tokenizer_files(folder)]
    plain, worst = PlainTransformer(folder), 0.0
    for source, target, sentence in zip(*(p.encode(lines) for p, lines in zip(pieces, texts)), shown, strict=True):
        assert sentence["source"] == [pieces[0].id_to_piece(i) for i in source + [END]]
        assert sentence["read"] == [pieces[1].id_to_piece(i) for i in [BEGIN] + target]
        assert sentence["target"] == [pieces[1].id_to_piece(i) for i in target + [END]]
        plain.attended.clear()
        with torch.no_grad():
            plain.logits(torch.tensor(source + [END]), torch.tensor([BEGIN] + target))
        assert len(plain.attended) == sum(len(sentence[kind]) for kind in KINDS.values())
        for name, weights in plain.attended:
            side, _, layer, sublayer = name.split(".")
            ours = torch.tensor(sentence[KINDS[side, sublayer]][int(layer)], dtype=weights.dtype)
            assert ours.shape == weights.shape, (name, ours.shape, weights.shape)
            worst = max(worst, (ours - weights).abs().max().item())
    return worst


def main():
    programs = Programs(*sys.argv[1:3])
    sentences, failed = programs.prepare(), False
    models = [(name, model, sentences[:6]) for name, model in programs.random_models()]
    if trained := trained_model():
        models.append((trained[0].name, trained[0], trained[1][:20]))
    for name, model, text in models:
        difference = compare(programs, model, text)
        failed |= not difference <= TOLERANCE
        print(f"  {name:<20} largest difference of weights {difference:.1e}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
