#!/usr/bin/env python3
"""CTranslate2's folders come in: models that its own converter wrote, and a trained transliterator of an old version in
fp32, int16 and int8, if it lies beside the repository. Outputs are those of ctranslate2.Translator.

usage: check_ctranslate2_import.py BIN_DIR WORK_DIR
"""
import pathlib
import random
import subprocess
import sys

import ctranslate2
import numpy
import torch
from ctranslate2.specs import TransformerSpec

sys.path.insert(0, str(pathlib.Path(__file__).parent / "common"))
from exports import END, Programs  # noqa: E402

THEIRS = pathlib.Path(__file__).parents[2].parent / "shared" / "models" / "aren-transliteration"
INPUTS, LONGER, TOLERANCE = 200, 50, 1e-4
WORDS = ["محمد", "القاهرة", "بغداد", "دمشق", "فاطمة", "الخرطوم", "لبنان", "بيروت", "تونس", "مراكش", "اسكندرية", "خالد", "سليمان", "يوسف",
         "عبدالله", "نجيب", "الرياض", "فلسطين"]
failures = 0


def check(name, holds, detail=""):
    global failures
    failures += not holds
    print(f"{'ok    ' if holds else 'FAILED'}  {name}{': ' if detail else ''}{detail}", flush=True)


def import_model(programs, folder, output):
    done = subprocess.run([programs.bin / "transformer-import", "--model", folder, "--output", output], capture_output=True,
                          encoding="utf-8")
    if done.returncode != 0:
        raise SystemExit(f"transformer-import {folder}: {done.stderr}")
    return done.stderr


def tokens_of(file):
    return file.read_text(encoding="utf-8").splitlines()


class Compared:
    """A folder of theirs in both programs. Weights are fp32 in both, whatever the file has."""

    def __init__(self, programs, folder, name, never, begins=False):
        """never: tokens that our search does not produce; begins: sources have a begin, which counts in our limit."""
        self.longer = LONGER - begins
        self.programs, self.model, self.never = programs, programs.work / f"imported-{name}", [[token] for token in never]
        self.message = import_model(programs, folder, self.model)
        self.translator = ctranslate2.Translator(str(folder), compute_type="float32", intra_threads=1)

    def outputs(self, texts, beam, precision="float32", folder=None):
        translator = self.translator if folder is None else ctranslate2.Translator(str(folder), compute_type=precision, intra_threads=1)
        found = {}
        for length in {len(text) for text in texts}:  # those of one length have one limit
            rows = [i for i, text in enumerate(texts) if len(text) == length]
            results = translator.translate_batch([texts[i] for i in rows], beam_size=beam, length_penalty=0, min_decoding_length=0,
                                                 max_decoding_length=length + LONGER, suppress_sequences=self.never)
            found |= {i: " ".join(result.hypotheses[0]) for i, result in zip(rows, results)}
        return [found[i] for i in range(len(texts))]

    def equal(self, texts, beam, expected):
        ours = self.programs.translate(self.model, [" ".join(text) for text in texts], "--beam", str(beam), "--alpha", "0",
                                       "--candidates", "beam", "--length-offset", str(self.longer))
        return sum(a.replace("⁇", "<unk>").split() == b.split() for a, b in zip(ours, expected))

    def score_difference(self, texts, outputs, source_ids, target_ids):
        """The largest difference of the log-probabilities of all tokens of these outputs."""
        targets = [output.split() for output in outputs]
        logits = self.programs.logits(self.model, [[source_ids[t] for t in text] for text in texts],
                                      [[target_ids[t] for t in target] for target in targets])
        worst = 0.0
        for target, found, scores in zip(targets, logits, self.translator.score_batch(texts, targets)):
            ids = torch.tensor([target_ids[t] for t in target] + [END])
            ours = found.double().log_softmax(-1).gather(1, ids[:, None])[:, 0]
            worst = max(worst, (ours - torch.tensor(scores.log_probs)).abs().max().item())
        return worst


def our_ids(tokens, special):
    """Unknown, padding, begin and end come first."""
    rest = [token for token in tokens if token not in special]
    return {token: i for i, token in enumerate([*special, *rest])}


# --- The transliterator ------------------------------------------------------------------------------------------


def check_transliterator(programs):
    if not THEIRS.exists():
        print("skipped  the transliterator: shared/models/aren-transliteration does not exist", flush=True)
        return
    letters = [t for t in tokens_of(THEIRS / "model" / "source_vocabulary.txt") if not t.startswith("<")]
    chance = random.Random(8)
    texts = [[c for c in word if c in letters] for word in WORDS]
    texts += [[chance.choice(letters) for _ in range(chance.randint(1, 12))] for _ in range(INPUTS - len(texts))]
    source = our_ids(tokens_of(THEIRS / "model" / "source_vocabulary.txt") + ["<unk>"], ["<unk>", "<blank>", "<s>", "</s>"])
    target = our_ids(tokens_of(THEIRS / "model" / "target_vocabulary.txt") + ["<unk>"], ["<unk>", "<blank>", "<s>", "</s>"])
    for folder, form in ("model", "float32"), ("model-i16", "int16"), ("model-i8", "int8"):
        compared = Compared(programs, THEIRS / folder, form, ["<blank>", "<s>"])
        check(f"{form}: says whether weights were quantised", ("8 or 16 bits" in compared.message) == (form != "float32"))
        for beam in 1, 2:
            expected = compared.outputs(texts, beam)
            same = compared.equal(texts, beam, expected)
            check(f"{form}: beam {beam}", same == len(texts), f"{same} of {len(texts)} outputs equal")
        worst = compared.score_difference(texts, compared.outputs(texts, 1), source, target)
        check(f"{form}: log-probabilities", worst < TOLERANCE, f"within {worst:.1e}")
        if form == "int8":  # their products of integers round the states, too
            same = compared.equal(texts, 1, compared.outputs(texts, 1, "int8", THEIRS / folder))
            check("int8: greedy outputs of their products of integers", same > 0.8 * len(texts), f"{same} of {len(texts)} equal")


# --- Models that their converter writes --------------------------------------------------------------------------

CONVERTED = {
    "post-norm": {"pre_norm": False},
    "pre-norm-gelu": {"pre_norm": True, "activation": ctranslate2.specs.Activation.GELU},
}


def fill(spec, vocabulary, chance, sinusoids):
    """Random weights for every variable without a value."""
    width, inner = 32, 48

    def linear(part, outputs, inputs):
        part.weight = chance.normal(0, 0.4, (outputs, inputs)).astype("float32")
        part.bias = chance.normal(0, 0.2, outputs).astype("float32")

    def norm(part):
        part.gamma = chance.normal(1, 0.2, width).astype("float32")
        part.beta = chance.normal(0, 0.2, width).astype("float32")

    for side, embeddings in (spec.encoder, spec.encoder.embeddings[0]), (spec.decoder, spec.decoder.embeddings):
        embeddings.weight = chance.normal(0, 0.2, (vocabulary, width)).astype("float32")
        if not sinusoids:
            side.position_encodings.encodings = chance.normal(0, 0.5, (100, width)).astype("float32")
        if hasattr(side, "layer_norm"):
            norm(side.layer_norm)
        for layer in side.layer:
            linear(layer.self_attention.linear[0], 3 * width, width)
            linear(layer.self_attention.linear[1], width, width)
            norm(layer.self_attention.layer_norm)
            if hasattr(layer, "attention"):
                for i, outputs in enumerate((width, 2 * width, width)):
                    linear(layer.attention.linear[i], outputs, width)
                norm(layer.attention.layer_norm)
            linear(layer.ffn.linear_0, inner, width)
            linear(layer.ffn.linear_1, width, inner)
            norm(layer.ffn.layer_norm)
    linear(spec.decoder.projection, vocabulary, width)


def check_converted(programs):
    tokens = ["<s>", "</s>", "<unk>"] + [f"w{i}" for i in range(37)]
    chance = numpy.random.default_rng(6)
    pick = random.Random(7)
    texts = [[pick.choice(tokens[3:]) for _ in range(pick.randint(1, 12))] for _ in range(60)]
    for name, options in CONVERTED.items():
        for precision in "float32", "float16", "bfloat16", "int16", "int8":
            spec = TransformerSpec.from_config(2, 4, **options)
            spec.config.add_source_eos, spec.config.add_source_bos = name == "post-norm", name != "post-norm"
            spec.register_source_vocabulary(tokens)
            spec.register_target_vocabulary(tokens)
            fill(spec, len(tokens), chance, sinusoids=name == "post-norm")
            spec.validate()
            spec.optimize(quantization=None if precision == "float32" else precision)
            folder = programs.work / f"{name}-{precision}"
            folder.mkdir()
            spec.save(str(folder))
            compared = Compared(programs, folder, f"{name}-{precision}", ["<s>"], begins=spec.config.add_source_bos)
            expected = compared.outputs(texts, 1)
            same = compared.equal(texts, 1, expected)
            check(f"{name}, {precision}: greedy outputs", same >= len(texts) - 1, f"{same} of {len(texts)} equal")


def main():
    torch.set_num_threads(1)
    programs = Programs(*sys.argv[1:])
    check_transliterator(programs)
    check_converted(programs)
    sys.exit(failures > 0)


main()
