#!/usr/bin/env python3
"""How fast models from Hugging Face translate here and in CTranslate2: T5 and M2M-100 with the paper's base sizes and random
weights that never end an output. Prints a JSON object a line; the last ones are ratios, here ÷ CTranslate2.

usage: imported_speed.py BIN_DIR WORK_DIR TEXT… [--vocabulary 32000] [--sentences 64] [--repetitions 2]

TEXT: text that the vocabulary and the sentences come from. Sentences have 24 pieces; outputs have as many tokens in
both programs. Batches are of 32 sentences on two cores, single sentences on one.
"""
import argparse
import json
import pathlib
import subprocess
import sys

import ctranslate2
import sentencepiece
import torch
from transformers import M2M100Config, M2M100ForConditionalGeneration, M2M100Tokenizer, T5Config, T5ForConditionalGeneration

PIECES, BATCH, ALONE = 24, 32, 8
PEER = pathlib.Path(__file__).parent / "ctranslate2_decode.py"


def train_pieces(texts, prefix, size, **ids):
    sentencepiece.SentencePieceTrainer.train(input=[str(text) for text in texts], model_prefix=str(prefix), vocab_size=size,
                                             model_type="bpe", minloglevel=2, **ids)
    return prefix.with_suffix(".model")


def never_ends(model, embedding, end):
    """One dimension of the decoder's last state is a constant, in which the end token's row alone is negative."""
    with torch.no_grad():
        embedding[:, 0] = 1.0
        embedding[end, 0] = -100.0
        norm = model.decoder.final_layer_norm if hasattr(model.decoder, "final_layer_norm") else model.decoder.layer_norm
        if hasattr(norm, "bias"):
            norm.weight[0], norm.bias[0] = 0.0, 10.0
        else:
            norm.weight[0] = 1000.0  # of a state that no layer changes:
            for name, weight in model.named_parameters():
                if name.startswith("decoder.") and name.endswith((".o.weight", ".wo.weight")):
                    weight[0, :] = 0.0


def make_t5(folder, texts, vocabulary):
    pieces = train_pieces(texts, folder.with_name("t5-pieces"), vocabulary, pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    model = T5ForConditionalGeneration(T5Config(vocab_size=vocabulary + 100, d_model=512, d_kv=64, d_ff=2048, num_layers=6, num_heads=8,
                                                decoder_start_token_id=0)).eval()
    never_ends(model, model.shared.weight, 1)
    model.save_pretrained(folder)
    (folder / "spiece.model").write_bytes(pieces.read_bytes())
    return pieces


def make_m2m(folder, texts, vocabulary, size):
    """size: of the vocabulary, whose last numbers no piece has."""
    pieces = train_pieces(texts, folder.with_name("m2m-pieces"), vocabulary)
    names = sentencepiece.SentencePieceProcessor(model_file=str(pieces))
    numbers = {name: i for i, name in enumerate(["<s>", "<pad>", "</s>", "<unk>"])}
    for i in range(3, vocabulary):
        numbers.setdefault(names.id_to_piece(i), len(numbers))
    for i in range(size - len(numbers) - 108):
        numbers[f"madeup{i}"] = len(numbers)
    file = folder.with_name("vocab.json")
    file.write_text(json.dumps(numbers))
    tokenizer = M2M100Tokenizer(str(file), str(pieces))
    tokenizer.save_pretrained(folder)
    model = M2M100ForConditionalGeneration(M2M100Config(
        vocab_size=size, d_model=512, encoder_layers=6, decoder_layers=6, encoder_attention_heads=8, decoder_attention_heads=8,
        encoder_ffn_dim=2048, decoder_ffn_dim=2048, max_position_embeddings=1024)).eval()
    never_ends(model.model, model.model.shared.weight, 2)
    model.save_pretrained(folder)
    return pieces


def convert(folder, output, size):
    """CTranslate2 4.8 does not find M2M-100's languages in a tokenizer of transformers 5. No sentence has one."""
    if size:
        names = list(json.loads(folder.with_name("vocab.json").read_text()))
        names += [f"other{i}" for i in range(size - len(names))]
        loader = ctranslate2.converters.transformers._MODEL_LOADERS["M2M100Config"]
        loader.get_vocabulary = lambda model, tokenizer: list(names)
    ctranslate2.converters.TransformersConverter(str(folder)).convert(str(output), force=True)


def sentences(texts, pieces, count):
    """Pieces are cut where their text alone has the same number of them."""
    tokenizer, found = sentencepiece.SentencePieceProcessor(model_file=str(pieces)), []
    for text in texts:
        for line in open(text, encoding="utf-8"):
            ids = tokenizer.encode(line.strip())[:PIECES]
            cut = tokenizer.decode(ids)
            if len(ids) == PIECES and len(tokenizer.encode(cut)) == PIECES:
                found.append(cut)
            if len(found) == count:
                return found
    raise SystemExit(f"expected {count} sentences of {PIECES} pieces, found {len(found)}")


def lines_of(command):
    done = subprocess.run([str(part) for part in command], capture_output=True, encoding="utf-8")
    if done.returncode != 0:
        raise SystemExit(f"{command[0]}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("texts", nargs="+", type=pathlib.Path)
    parser.add_argument("--vocabulary", type=int, default=32000)
    parser.add_argument("--own-vocabulary", type=int, default=128112)
    parser.add_argument("--sentences", type=int, default=64)
    parser.add_argument("--repetitions", type=int, default=2)
    a = parser.parse_args()
    torch.manual_seed(1)
    a.work.mkdir(parents=True, exist_ok=True)
    ratios = []
    for name, size in (("t5", 0), ("m2m", a.vocabulary), ("m2m", a.own_vocabulary)):
        label = f"{name}-{size or a.vocabulary}"
        folder = a.work / label
        pieces = make_m2m(folder, a.texts, a.vocabulary - 200, size) if size else make_t5(folder, a.texts, a.vocabulary)
        ours, theirs = a.work / f"{label}-here", a.work / f"{label}-ct2"
        languages = ["--source-language", "en", "--target-language", "de"] if size else []
        subprocess.run([a.bin / "transformer-import", "--model", folder, "--output", ours, *languages, "--quiet"], check=True)
        convert(folder, theirs, size)
        text = a.work / f"{label}.txt"
        text.write_text("".join(line + "\n" for line in sentences(a.texts, pieces, a.sentences)), encoding="utf-8")
        one = a.work / f"{label}.one.txt"
        one.write_text("".join(text.read_text(encoding="utf-8").splitlines(keepends=True)[:ALONE]), encoding="utf-8")
        for precision, kind in (("fp32", "float32"), ("int8", "int8")):
            for lines, batch in ((text, BATCH), (one, 1)):
                alone = batch == 1
                here = lines_of([a.bin / "transformer-bench", "decode", "--model", ours, "--text", lines, "--precision", precision,
                                 "--batch-tokens", 1 if alone else batch * (PIECES + 2), "--threads", 1 if alone else 2,
                                 "--repetitions", a.repetitions, "--json", "--quiet"])[-1]
                count = sum(1 for _ in open(lines, encoding="utf-8"))
                tokens = round(here["tokens_per_second"] / here["sentences_per_second"])
                settings = "1:1:1" if alone else f"{batch}:2:1"  # sentences, workers, threads of each
                there = lines_of([sys.executable, "-B", PEER, theirs, pieces, lines, "--types", kind, "--settings", settings,
                                  "--reps", a.repetitions, "--force", tokens])[0]
                print(json.dumps({"model": label, "precision": precision, "batch": batch, "sentences": count, "tokens": tokens,
                                  "here": here, "ctranslate2": there}), flush=True)
                ratios.append({"model": label, "precision": precision, "batch": batch,
                               "ratio": round(here["sentences_per_second"] / there["sentences_per_second"], 2)})
    for ratio in ratios:
        print(json.dumps(ratio))


main()
