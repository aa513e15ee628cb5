#!/usr/bin/env python3
"""Python runs the exported file without this project: the same logits, the same translations, the same texts.

usage: check_torchscript.py BIN_DIR WORK_DIR
"""
import pathlib
import subprocess
import sys

import sentencepiece
import torch

sys.path.insert(0, str(pathlib.Path(__file__).parent / "common"))
from exports import (BEGIN, END, Programs, logit_difference, longest_equal, stories, tokenizer_of,  # noqa: E402
                     trained_model)

TOLERANCE = 1e-4
DEPLOYED = pathlib.Path(__file__).parents[2] / "docs" / "deploy"
CONTINUED = 100  # tokens of a language model's text


def load(file):
    """The module, and the SentencePiece processors that ride along."""
    files = {name: "" for name in ("tokenizer.model", "tokenizer.source.model", "tokenizer.target.model")}
    model = torch.jit.load(str(file), _extra_files=files)
    source = files["tokenizer.model"] or files["tokenizer.source.model"]
    target = files["tokenizer.model"] or files["tokenizer.target.model"]
    return model, *(sentencepiece.SentencePieceProcessor(model_proto=proto) for proto in (source, target))


def batches(rows, size=32):
    """(B, S) and (B): ids with their ends."""
    for first in range(0, len(rows), size):
        part = [torch.tensor(row + [END]) for row in rows[first:first + size]]
        yield torch.nn.utils.rnn.pad_sequence(part, batch_first=True), torch.tensor([len(row) for row in part])


def start(model, source):
    """Recurrent models have no encode."""
    return model.start(*model.encode(source)) if hasattr(model, "encode") else model.start(source)


def logits_of(model, source, target):
    """Along one target, step by step: (T + 1, V)"""
    cache = start(model, torch.tensor([source + [END]]))
    rows = []
    for token in [BEGIN] + target:
        logits, cache = model.decode_step(torch.tensor([[token]]), cache)
        rows.append(logits[0, 0])
    return torch.stack(rows)


def check_language(programs, name, folder, texts):
    """Greedy continuations, logits, and the guide's program."""
    file = programs.export(folder, "torchscript")
    model, tokenizer = torch.jit.load(str(file)), tokenizer_of(programs, folder)
    ids = tokenizer.encode(texts)
    found = [model.generate(torch.tensor([[BEGIN] + row]), CONTINUED)[0].tolist() for row in ids]
    ours = programs.generate(folder, texts, CONTINUED)
    equal, tokens = sum(map(longest_equal, ours, found)), sum(max(map(len, pair)) for pair in zip(ours, found))
    worst = max(logit_difference(model.logits(torch.tensor([[BEGIN] + row]))[0], expected)
                for row, expected in zip(ids, programs.logits(folder, [[]] * len(ids), [[BEGIN] + row for row in ids])))
    deployed = subprocess.run([sys.executable, DEPLOYED / "generate.py", file], input="\n".join(texts) + "\n", text=True,
                              capture_output=True, check=True).stdout
    same = deployed == "".join(tokenizer.decode(row + output) + "\n" for row, output in zip(ids, ours))
    on_meta = torch.jit.load(str(file), map_location="meta")
    text = torch.empty((3, 5), dtype=torch.long, device="meta")
    logits, cache = on_meta.decode_step(text[:, :1], on_meta.start(text))
    elsewhere = all(tensor.is_meta for tensor in (on_meta.logits(text), logits, *cache))
    print(f"  {name:<20} {equal} of {tokens} greedy tokens equal; largest difference of a logit {worst:.1e}; "
          f"docs/deploy/generate.py: {'equal' if same else 'OTHER'} texts", flush=True)
    return equal < tokens or not worst <= TOLERANCE or not same or not elsewhere


def runs_elsewhere(file):
    """Whether all computation is on the device of the weights. That of "meta" has shapes and no numbers, and refuses
    to compute with tensors of another. The lengths of what a recurrent encoder reads are the CPU's."""
    model = torch.jit.load(str(file), map_location="meta")
    source, tokens = torch.empty((3, 5), dtype=torch.long, device="meta"), torch.empty((3, 1), dtype=torch.long, device="meta")
    if not hasattr(model, "encode"):
        return True
    logits, cache = model.decode_step(tokens, start(model, source))
    return all(tensor.is_meta for tensor in (logits, *cache))


def main():
    torch.set_num_threads(1)
    programs = Programs(*sys.argv[1:3])
    sentences, failed = programs.prepare(), False
    models = [(name, model, sentences[:40]) for name, model in programs.random_models()]
    models += [(name, model, sentences[:40]) for name, model in programs.random_recurrent_models()]
    if trained := trained_model():
        models.append((trained[0].name, *trained))
    for name, folder, text in models:
        file = programs.export(folder, "torchscript")
        model, source, target = load(file)
        rows, outputs = source.encode(text), []
        for ids, lengths in batches(rows):
            found, _ = model.translate(ids, lengths, beam=4, alpha=0.6)
            outputs += [[token for token in row if token > END or token == 0] for row in found.tolist()]
        native = programs.translate(folder, text, "--beam", "4", "--alpha", "0.6")
        equal = sum(ours == target.decode(ids) for ours, ids in zip(native, outputs))
        count = min(len(text), 60)
        expected = programs.logits(folder, rows[:count], outputs[:count])
        difference = max(logit_difference(logits_of(model, *pair), theirs)
                         for theirs, *pair in zip(expected, rows, outputs))
        failed |= equal < 0.99 * len(text) or not difference <= TOLERANCE or not runs_elsewhere(file)
        print(f"  {name:<20} beam 4: {equal} of {len(text)} outputs equal; largest difference of a logit "
              f"{difference:.1e}", flush=True)
        if name in ("paper", "learned") or trained and folder == trained[0]:
            deployed = subprocess.run([sys.executable, DEPLOYED / "translate.py", file], input="\n".join(text) + "\n", text=True,
                                      capture_output=True, check=True).stdout.splitlines()
            same = sum(ours == theirs for ours, theirs in zip(native, deployed))
            failed |= same < 0.99 * len(text)
            print(f"  {name:<20} docs/deploy/translate.py: {same} of {len(text)} outputs equal", flush=True)
    texts = [(name, model, sentences[:8]) for name, model in programs.random_language_models()]
    for name, model, text in texts + stories(programs):
        failed |= check_language(programs, name, model, text)
    sys.exit(failed)


if __name__ == "__main__":
    main()
