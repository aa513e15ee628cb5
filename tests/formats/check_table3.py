#!/usr/bin/env python3
"""Every row of the paper's Table 3, in its real size with random weights, in every format: exported, loaded by the
program that it is for, and asked for greedy outputs.

usage: check_table3.py BIN_DIR WORK_DIR
"""
import pathlib
import shutil
import sys
import warnings

import ctranslate2
import sentencepiece
import torch
from safetensors.torch import load_file
from transformers import MarianMTModel, MarianTokenizer
from transformers.utils import logging

sys.path.insert(0, str(pathlib.Path(__file__).parent / "common"))
from exports import END, Programs  # noqa: E402

CONFIGS = pathlib.Path(__file__).parents[2] / "configs" / "table3"
LISTS = ("table", "relative")  # files that are not rows
LONGER = 10  # tokens that an output may have beyond its source

warnings.simplefilter("ignore")  # of sacremoses, which MarianTokenizer can do without
logging.set_verbosity_error()
logging.disable_progress_bar()


def torchscript(path, sentences):
    files = {"tokenizer.model": ""}
    model = torch.jit.load(str(path), _extra_files=files)
    tokenizer = sentencepiece.SentencePieceProcessor(model_proto=files["tokenizer.model"])
    for sentence in sentences:
        ids = tokenizer.encode(sentence) + [END]
        found, _ = model.translate(torch.tensor([ids]), torch.tensor([len(ids)]), beam=1, max_length=len(ids) - 1 + LONGER)
        yield tokenizer.decode(found[0].tolist())


def marian(path, sentences):
    model, tokenizer = MarianMTModel.from_pretrained(path), MarianTokenizer.from_pretrained(path)
    for sentence in sentences:
        ids = tokenizer([sentence], return_tensors="pt")
        found = model.generate(**ids, num_beams=1, max_length=None, max_new_tokens=ids["input_ids"].size(1) + LONGER)
        yield tokenizer.decode(found[0], skip_special_tokens=True)


def translator(path, sentences):
    model = ctranslate2.Translator(str(path), compute_type="float32")
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(path / "tokenizer.model"))
    for sentence in sentences:
        pieces = tokenizer.encode(sentence, out_type=str)
        found = model.translate_batch([pieces], beam_size=1, min_decoding_length=0, max_decoding_length=len(pieces) + LONGER,
                                      suppress_sequences=[["<pad>"], ["<s>"]])
        yield tokenizer.decode_pieces(found[0].hypotheses[0])


def weights(path, sentences):
    """Weights alone have no search: check_safetensors.py computes with them."""
    load_file(path / "model.safetensors")
    return [None] * len(sentences)


def size(path):
    files = [path] if path.is_file() else path.iterdir()
    return sum(file.stat().st_size for file in files) / 1e6


def main():
    programs, failed = Programs(*sys.argv[1:3]), False
    sentences = programs.prepare()[:3]
    forms = {"torchscript": torchscript, "safetensors": weights, "marian": marian, "ctranslate2": translator}
    for config in sorted(CONFIGS.glob("*.yaml")):
        if config.stem in LISTS:
            continue
        model = programs.work / config.stem
        programs.run("formats_random_model", config, programs.work / "one", model)
        native = programs.translate(model, sentences, "--beam", "1", "--length-offset", str(LONGER))
        line = f"  {config.stem:<20}"
        for form, load in forms.items():
            path = programs.export(model, form)
            found = list(load(path, sentences))
            equal = sum(theirs in (None, ours) for ours, theirs in zip(native, found))
            failed |= equal < len(sentences)
            line += f" {form} {size(path):.0f} MB" + ("" if load is weights else f", {equal} of {len(sentences)} equal") + ";"
            path.unlink() if path.is_file() else shutil.rmtree(path)
        shutil.rmtree(model)
        print(line.rstrip(";"), flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
