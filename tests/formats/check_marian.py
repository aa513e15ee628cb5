"""Compares Marian models with transformers, both ways.

  python check_marian.py BIN_DIR WORK_DIR

BIN_DIR holds the programs and formats_print_logits; WORK_DIR is an empty folder. A line for each check; exit status 1
when one fails. Needs torch, transformers, sentencepiece, safetensors.
"""

import hashlib
import json
import random
import subprocess
import sys
import warnings
from pathlib import Path

import sentencepiece
import torch
from safetensors.torch import save_file
from transformers import GenerationConfig, MarianConfig, MarianMTModel, MarianTokenizer
from transformers.utils import logging

warnings.simplefilter("ignore")  # of sacremoses, which we do without too

logging.set_verbosity_error()
logging.disable_progress_bar()

BIN, WORK = Path(sys.argv[1]), Path(sys.argv[2])
DEPLOYED = Path(__file__).parents[2] / "docs" / "deploy" / "translate.py"
UNKNOWN, PAD, BEGIN, END = range(4)
SENTENCES = 12
failures = 0


def check(name, holds, detail=""):
    global failures
    failures += not holds
    print(f"{'ok    ' if holds else 'FAILED'}  {name}{': ' if detail else ''}{detail}", flush=True)


def run(program, *arguments, text=""):
    done = subprocess.run([str(BIN / program), *map(str, arguments)], input=text, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{program} {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout.splitlines()


def ours(action, model, lines, *arguments):
    return [json.loads(line) for line in run("formats_print_logits", action, model, *arguments, text="\n".join(lines) + "\n")]


# --- Text --------------------------------------------------------------------------------------------------

chance = random.Random(1)
torch.manual_seed(1)
torch.set_num_threads(1)  # small models gain nothing from more


SENTENCE_WORDS = [[chance.randrange(800) for _ in range(chance.randint(2, 5))] for _ in range(2000)]


def make_text(letters, name):
    """The same sentences in words of its own."""
    words = ["".join(chance.choice(letters) for _ in range(chance.randint(2, 9))) for _ in range(800)]
    lines = [" ".join(words[i] for i in sentence) + "." for sentence in SENTENCE_WORDS]
    path = WORK / f"{name}.txt"
    path.write_text("\n".join(lines) + "\n")
    return path, lines


SOURCE_FILE, SOURCE = make_text("abdefghiklmnorstuäöü", "source")
TARGET_FILE, TARGET = make_text("abcdeghilmnoprtuvwxyé", "target")


def train_spm(files, prefix, size, kind, **options):
    sentencepiece.SentencePieceTrainer.train(
        input=",".join(map(str, files)), model_prefix=str(prefix), vocab_size=size, model_type=kind,
        minloglevel=2, **options)
    return Path(f"{prefix}.model")


def spm_pieces(path):
    spm = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return [spm.id_to_piece(i) for i in range(spm.get_piece_size())]


# --- What both directions compare --------------------------------------------------------------------------


class Ids:
    """Their ids of ours."""

    def __init__(self, theirs):
        self.theirs = theirs
        self.ours = {}
        for our, their in enumerate(theirs):
            if our != BEGIN:
                self.ours[their] = our

    def to_theirs(self, ids):
        return [self.theirs[i] for i in ids]

    def to_ours(self, ids):
        return [self.ours[i] for i in ids]


def our_numbering(size, unknown, pad, end, start=None):
    """start: an id that has no other meaning."""
    first = [unknown, pad, pad if start is None else start, end]
    return Ids(first + [i for i in range(size) if i not in first])


def compare_logits(name, theirs, model, source, target, tolerance):
    """source, target: ids of the words, the same in all that they have in common."""
    theirs.eval()
    worst = 0.0
    start = theirs.config.decoder_start_token_id
    pairs = list(zip(source["ids"], target["ids"]))
    lines = [json.dumps({"source": source["map"].to_ours(s), "target": target["map"].to_ours(t)}) for s, t in pairs]
    for (s, t), found in zip(pairs, ours("logits", model, lines)):
        found = torch.tensor(found)
        with torch.no_grad():
            expected = theirs(input_ids=torch.tensor([s + [source["map"].theirs[END]]]),
                              decoder_input_ids=torch.tensor([[start] + t])).logits[0].float()
        columns = torch.tensor(target["map"].theirs)
        real = torch.arange(len(columns)) != BEGIN
        worst = max(worst, (found - expected[:, columns])[:, real].abs().max().item())
    check(f"{name}: logits", worst < tolerance, f"largest difference {worst:.1e}, tolerance {tolerance:.0e}")


def generate(theirs, ids, end, beam, limit):
    config = GenerationConfig.from_dict({**theirs.generation_config.to_dict(), "num_beams": beam,
                                         "length_penalty": 0.0, "early_stopping": False, "max_length": limit + 2,
                                         "do_sample": False})
    with torch.no_grad():
        output = theirs.generate(torch.tensor([ids + [end]]), generation_config=config)[0].tolist()[1:]
    return output[:output.index(end)] if end in output else output


def score(theirs, ids, output, end):
    """The log-probability that their model gives to an output."""
    start = theirs.config.decoder_start_token_id
    with torch.no_grad():
        logits = theirs(input_ids=torch.tensor([ids + [end]]), decoder_input_ids=torch.tensor([[start] + output])).logits
    logs = torch.log_softmax(logits[0].double(), -1)
    return sum(logs[i, token].item() for i, token in enumerate(output + [end]))


def compare_search(name, theirs, model, source, target, beam):
    """Greedy outputs must be equal. With a beam, some may differ: hypotheses that end leave their places to
    others in theirs and not in ours, and where a limit ends an output, theirs counts that end as certain."""
    end = source["map"].theirs[END]
    equal = better = worse = 0
    lines = [json.dumps({"source": source["map"].to_ours(s)}) for s in source["ids"]]
    for s, found in zip(source["ids"], ours("search", model, lines, beam, 0)):
        found = target["map"].to_theirs(found)
        expected = generate(theirs, s, end, beam, len(s) + 20)
        if found == expected:
            equal += 1
            continue
        difference = score(theirs, s, found, end) - score(theirs, s, expected, end)
        better += difference > 0
        worse += difference <= 0
    total = len(source["ids"])
    holds = equal == total if beam == 1 else 2 * equal >= total and 4 * worse <= total
    check(f"{name}: beam {beam}", holds,
          f"{equal} of {total} outputs equal" + (f", {better} of ours better, {worse} worse" if equal < total else ""))


def compare_tokens(name, tokenizer, model, lines, ids):
    expected = [tokenizer(line)["input_ids"][:-1] for line in lines]
    found = [ids.to_theirs(line) for line in ours("encode", model, lines)]
    check(f"{name}: tokens", found == expected, f"{sum(a == b for a, b in zip(found, expected))} of {len(lines)} lines")


def compare_text(name, theirs, tokenizer, model, lines, beam=1):
    """What a user gets, for lines whose output has no unknown token."""
    settings = {"beam": beam, "alpha": 0, "length_offset": 30}
    found = run("transformer-translate", "--model", model, "--quiet", "--precision", "fp32",
                *(part for key, value in settings.items() for part in ("--set", f"decode.{key}={value}")),
                text="\n".join(lines) + "\n")
    equal = total = 0
    for line, text in zip(lines, found):
        batch = tokenizer([line], return_tensors="pt")
        with torch.no_grad():
            # The start, as many tokens as ours may have, and the end.
            longest = batch["input_ids"].shape[1] - 1 + 30 + 2
            output = theirs.generate(**batch, num_beams=beam, length_penalty=0.0, max_length=longest)[0]
        if tokenizer.unk_token_id in output.tolist():
            continue
        expected = tokenizer.decode(output, skip_special_tokens=True)
        total += 1
        equal += expected == text
        if expected != text:
            print(f"          {line!r}\n          expected {expected!r}\n          found    {text!r}")
    check(f"{name}: text", equal == total and total > 0, f"{equal} of {total} lines")


def compare_plain(name, model, lines):
    """Other exports of an imported model: SentencePiece alone gives its ids, docs/deploy/translate.py its text."""
    folder, file = WORK / f"{model.name}-plain", WORK / f"{model.name}.pt"
    for form, output in ("safetensors", folder), ("torchscript", file):
        run("transformer-export", "--model", model, "--format", form, "--output", output, "--quiet", "--sentences", "4",
            "--threads", "1")
    one = folder / "tokenizer.model"
    source = sentencepiece.SentencePieceProcessor(model_file=str(one if one.exists() else folder / "tokenizer.source.model"))
    pairs = [pair for pair in zip(ours("encode", model, lines), source.encode(lines)) if UNKNOWN not in pair[0]]
    equal = sum(a == b for a, b in pairs)
    check(f"{name}: tokens of SentencePiece alone", equal == len(pairs) > 100, f"{equal} of {len(pairs)} lines")
    text = "\n".join(["", *SOURCE[:20], "  "]) + "\n"
    # Both search with the beam and the alpha that the model names.
    expected = run("transformer-translate", "--model", model, "--quiet", "--precision", "fp32", text=text)
    deployed = subprocess.run([sys.executable, DEPLOYED, file], input=text, text=True, capture_output=True, check=True)
    found = deployed.stdout.splitlines()
    equal = sum(a.strip() == b.strip() for a, b in zip(expected, found))
    check(f"{name}: docs/deploy/translate.py", equal == len(expected) == len(found), f"{equal} of {len(expected)} lines")


def sides(tokenizer, model, source_map, target_map):
    """Sentences of ids, all of which both know."""
    source = [tokenizer(line)["input_ids"][:-1] for line in chance.sample(SOURCE, SENTENCES)]
    target = [tokenizer(text_target=line)["input_ids"][:-1] for line in chance.sample(TARGET, SENTENCES)]
    return {"ids": source, "map": source_map}, {"ids": target, "map": target_map}


# --- Theirs to ours ----------------------------------------------------------------------------------------


def random_weight(name, shape, end, last_layer):
    """Such that an output is not one token again and again: positions outweigh tokens, some continuations are
    much better than others, and sometimes the best is the end."""
    if len(shape) == 1:
        weight = torch.randn(shape) * 0.2
        if "norm.weight" in name:
            weight = (weight + 1) * (15 if name.startswith(last_layer) else 1)
        return weight
    if "attention" in name or "attn" in name or "layers" in name:
        return torch.randn(shape) * shape[1] ** -0.5
    weight = torch.randn(shape) * 0.2 * shape[1] ** -0.5
    if "positions" in name:
        return weight * 20
    weight[end] *= 2
    return weight


def train(model, tokenizer, steps):
    """A little, so that outputs vary and end."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() == 1:
                parameter.add_(torch.randn_like(parameter) * 0.1)
        model.final_logits_bias.normal_(0, 0.3)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    model.train()
    for _ in range(steps):
        rows = [chance.randrange(len(SOURCE)) for _ in range(16)]
        batch = tokenizer([SOURCE[i] for i in rows], text_target=[TARGET[i] for i in rows], return_tensors="pt",
                          padding=True)
        batch["labels"][batch["labels"] == tokenizer.pad_token_id] = -100
        loss = model(**batch).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        model.final_logits_bias[0, tokenizer.unk_token_id] = -20  # of which both make another text
    model.eval()


def save_foreign(name, separate=False, dtype=torch.float32, steps=5, **options):
    """A model as OPUS-MT's are."""
    folder = WORK / name
    folder.mkdir()
    source = train_spm([SOURCE_FILE], folder / "source", 260, "unigram")
    target = train_spm([TARGET_FILE], folder / "target", 300, "unigram")
    source, target = source.rename(folder / "source.spm"), target.rename(folder / "target.spm")
    words = {"source": spm_pieces(source)[3:], "target": spm_pieces(target)[3:]}

    def vocabulary(pieces):
        pieces = sorted(set(pieces), key=lambda piece: hashlib.sha256(piece.encode()).digest())
        return {piece: i for i, piece in enumerate(["</s>", "<unk>", *pieces, ">>eng<<", "<pad>"])}

    if separate:
        # Padding has one id for both, as config.json has it.
        size = min(len(words["source"]), len(words["target"]))
        files = {"vocab.json": vocabulary(words["source"][:size]), "target_vocab.json": vocabulary(words["target"][:size])}
        assert files["vocab.json"]["<pad>"] == files["target_vocab.json"]["<pad>"]
    else:
        files = {"vocab.json": vocabulary(words["source"] + words["target"])}
    for file, content in files.items():
        (folder / file).write_text(json.dumps(content))
    size = len(files["vocab.json"])
    config = MarianConfig(
        vocab_size=size, decoder_vocab_size=size, d_model=64, encoder_layers=3, decoder_layers=2,
        encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=160, decoder_ffn_dim=160,
        activation_function="swish", init_std=0.1, scale_embedding=True, max_position_embeddings=512, pad_token_id=size - 1,
        eos_token_id=0, forced_eos_token_id=0, decoder_start_token_id=size - 1, bos_token_id=None, **options)
    model = MarianMTModel(config)
    tokenizer = MarianTokenizer(
        str(source), str(target), str(folder / "vocab.json"), source_lang="deu", target_lang="eng",
        target_vocab_file=str(folder / "target_vocab.json") if separate else None, separate_vocabs=separate)
    train(model, tokenizer, steps)
    model.generation_config = GenerationConfig(
        num_beams=4, max_length=512, bad_words_ids=[[size - 1]], pad_token_id=size - 1, eos_token_id=0,
        decoder_start_token_id=size - 1, forced_eos_token_id=0)
    model.to(dtype).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder, MarianMTModel.from_pretrained(folder, dtype=torch.float32), tokenizer


def check_import(name, tolerance=1e-4, **options):
    folder, theirs, tokenizer = save_foreign(f"foreign-{name}", **options)
    model = WORK / f"imported-{name}"
    run("transformer-import", "--model", folder, "--output", model, "--quiet")
    vocabulary = json.loads((folder / "vocab.json").read_text())
    size = len(vocabulary)
    ids = our_numbering(size, vocabulary["<unk>"], size - 1, 0)
    name = f"import, {name}"
    odd = ["", ">>eng<< " + SOURCE[0], ">>fra<< " + SOURCE[1], "數 x 😀 yz", "  zwei   Wörter ", "ﬁ … „q“", TARGET[0]]
    compare_tokens(name, tokenizer, model, SOURCE[:200] + odd, ids)
    source, target = sides(tokenizer, model, ids, ids)
    compare_logits(name, theirs, model, source, target, tolerance)
    compare_search(name, theirs, model, source, target, 1)
    compare_search(name, theirs, model, source, target, 4)
    compare_text(name, theirs, tokenizer, model, SOURCE[:20])
    inspected = json.loads("\n".join(run("transformer-inspect", "--model", model, "--json")))
    check(f"{name}: inspect", inspected["parameters"]["total"] > 0, f"{inspected['parameters']['total']} parameters")
    compare_plain(name, model, SOURCE[:200] + odd)
    # And back.
    check_export(f"{name}, exported again", model, tolerance)


# --- Ours to theirs ----------------------------------------------------------------------------------------


def layer_weights(o):
    d, keys, values = o["d_model"], o["heads"] * o["d_k"], o["heads"] * o["d_v"]
    shapes = {}

    def attention(name):
        for part, rows, columns in (("query", keys, d), ("key", keys, d), ("value", values, d), ("output", d, values)):
            shapes[f"{name}.{part}.weight"] = (rows, columns)
            if o.get("attention_bias"):
                shapes[f"{name}.{part}.bias"] = (rows,)
        norm(f"{name}_residual")

    def norm(name):
        shapes[f"{name}.norm.weight"] = shapes[f"{name}.norm.bias"] = (d,)

    for stack in ("encoder", "decoder"):
        for i in range(o[f"{stack}_layers"]):
            layer = f"{stack}.layers.{i}"
            attention(f"{layer}.self_attention")
            if stack == "decoder":
                attention(f"{layer}.source_attention")
            for part, rows, columns in (("inner", o["d_ff"], d), ("outer", d, o["d_ff"])):
                shapes[f"{layer}.feed_forward.{part}.weight"] = (rows, columns)
                shapes[f"{layer}.feed_forward.{part}.bias"] = (rows,)
            norm(f"{layer}.feed_forward_residual")
    return shapes


def save_ours(name, separate=False, **changes):
    """A model directory of random weights."""
    folder = WORK / name
    folder.mkdir()
    o = {"encoder_layers": 2, "decoder_layers": 2, "d_model": 64, "d_ff": 128, "heads": 4, "d_k": 16, "d_v": 16,
         "tie": "all", "positions": "interleaved", "max_positions": 120, **changes}
    size = 300
    special = {"unk_id": UNKNOWN, "pad_id": PAD, "bos_id": BEGIN, "eos_id": END}
    if separate:
        train_spm([SOURCE_FILE], folder / "tokenizer.source", size - 20, "bpe", **special)
        train_spm([TARGET_FILE], folder / "tokenizer.target", size, "bpe", **special)
    else:
        train_spm([SOURCE_FILE, TARGET_FILE], folder / "tokenizer", size, "bpe", **special)
    for log in folder.glob("*.vocab"):
        log.unlink()
    shapes = layer_weights(o)
    sizes = {"source": size - 20 if separate else size, "target": size}
    if o["tie"] == "all":
        shapes["embedding.weight"] = (size, o["d_model"])
    else:
        for side in ("source", "target"):
            shapes[f"{side}_embedding.weight"] = (sizes[side], o["d_model"])
        if o["tie"] == "none":
            shapes["output.weight"] = (size, o["d_model"])
    if o.get("output_bias"):
        shapes["output_bias"] = (size,)
    if o["positions"] == "learned":
        for side in ("source", "target"):
            shapes[f"{side}_positions.weight"] = (o["max_positions"], o["d_model"])
    weights = {}
    for key, shape in shapes.items():
        last = f"decoder.layers.{o['decoder_layers'] - 1}.feed_forward_residual."
        weights[key] = random_weight(key, shape, END, last)
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    lines = ["data:", f"  shared_vocabulary: {str(not separate).lower()}", f"  vocabulary: {size}",
             "  source: deu", "  target: eng", "  max_tokens: 100", "model:"]
    lines += [f"  {key}: {str(value).lower()}" for key, value in o.items()]
    (folder / "config.yaml").write_text("\n".join(lines) + "\n")
    sums = "".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n"
                   for file in sorted(folder.iterdir()))
    (folder / "checksums.sha256").write_text(sums)
    return folder


def check_export(name, model, tolerance=1e-4):
    folder = WORK / f"{model.name}-exported"
    run("transformer-export", "--model", model, "--format", "marian", "--output", folder, "--quiet",
        "--sentences", "4", "--threads", "1")
    theirs, info = MarianMTModel.from_pretrained(folder, output_loading_info=True)
    check(f"{name}: loads", not (info["missing_keys"] or info["unexpected_keys"] or info["mismatched_keys"]), str(
        {key: value for key, value in info.items() if value}))
    tokenizer = MarianTokenizer.from_pretrained(folder)
    pieces = json.loads((folder / "vocab.json").read_text())
    target_file = folder / "target_vocab.json"
    targets = json.loads(target_file.read_text()) if target_file.exists() else pieces
    source_map, target_map = Ids(list(range(len(pieces)))), Ids(list(range(len(targets))))
    compare_tokens(name, tokenizer, model, SOURCE[:200] + ["", "數 x 😀 yz", "  zwei   Wörter ", TARGET[0]], source_map)
    source, target = sides(tokenizer, model, source_map, target_map)
    compare_logits(name, theirs, model, source, target, tolerance)
    compare_search(name, theirs, model, source, target, 1)
    compare_search(name, theirs, model, source, target, 4)
    compare_text(name, theirs, tokenizer, model, SOURCE[:20])


check_import("one vocabulary", steps=100)
check_import("fp16", dtype=torch.float16)
check_import("bf16", dtype=torch.bfloat16)
check_import("two vocabularies", separate=True, share_encoder_decoder_embeddings=False)
check_import("an output of its own", share_encoder_decoder_embeddings=False, tie_word_embeddings=False)
for name, options in {
    "base": {},
    "one head": {"heads": 1, "d_k": 64, "d_v": 64},
    "16 heads": {"heads": 16, "d_k": 4, "d_v": 4},
    "small keys": {"d_k": 4},
    "small values": {"d_k": 12, "d_v": 5},
    "depths": {"encoder_layers": 1, "decoder_layers": 3},
    "d_model 96": {"d_model": 96, "d_k": 24, "d_v": 24},
    "learned positions": {"positions": "learned"},
    "halves": {"positions": "halves"},
    "tensor2tensor": {"positions": "tensor2tensor"},
    "gelu": {"activation": "gelu"},
    "swish, biases": {"activation": "swish", "attention_bias": True, "output_bias": True},
    "tie target": {"tie": "target"},
    "tie none": {"tie": "none"},
    "two vocabularies": {"tie": "target", "separate": True},
}.items():
    check_export(f"export, {name}", save_ours(f"ours-{name.replace(' ', '-').replace(',', '')}", **options))
print(f"{failures} checks failed" if failures else "all checks hold")
sys.exit(1 if failures else 0)
