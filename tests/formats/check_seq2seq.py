#!/usr/bin/env python3
"""T5, mT5, M2M-100, NLLB, BART and mBART of transformers come in: the same logits, tokens, greedy texts and beam searches.
All but mBART leave again, and so do models of ours: transformers loads the folders and computes the same.

usage: check_seq2seq.py BIN_DIR WORK_DIR [MODEL…]
"""
import hashlib
import io
import json
import pathlib
import subprocess
import sys

import sentencepiece
import tokenizers
import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers import (AutoModelForSeq2SeqLM, AutoTokenizer, BartConfig, BartForConditionalGeneration, M2M100Config,
                          M2M100ForConditionalGeneration, M2M100Tokenizer, MBartConfig, MBartForConditionalGeneration, MT5Config,
                          MT5ForConditionalGeneration, T5Config, T5ForConditionalGeneration)

sys.path.insert(0, str(pathlib.Path(__file__).parent / "common"))
from exports import Programs  # noqa: E402

TOLERANCE = 1e-4  # of the largest logit
PIECES, LINES, LONGEST, UPDATES = 300, 30, 20, 250
SMALL_T5 = {"vocab_size": PIECES + 100, "d_model": 48, "d_kv": 20, "d_ff": 72, "num_layers": 2, "num_decoder_layers": 3, "num_heads": 3,
            "decoder_start_token_id": 0}
GATED = {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}
SMALL_M2M = {"d_model": 48, "encoder_layers": 2, "decoder_layers": 3, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
             "encoder_ffn_dim": 72, "decoder_ffn_dim": 72, "max_position_embeddings": 250, "pad_token_id": 1, "bos_token_id": 0,
             "eos_token_id": 2, "decoder_start_token_id": 2}


PICKLED = ("t5", "nllb", "bart")  # weights as older folders have them
# Models of ours with random weights, by what they leave as.
SMALL_OURS = {"layers": 2, "d_model": 64, "d_ff": 96, "heads": 4, "d_k": 16, "d_v": 16}
OURS_T5 = {"positions": "bias", "norm": "pre", "norm_type": "rms"}
OURS_BART = {"positions": "learned", "max_positions": 200, "embedding_norm": True}
OURS = {
    "ours-t5-unigram": ("T5ForConditionalGeneration", OURS_T5 | {"activation": "gelu_tanh"}),
    "ours-t5": ("T5ForConditionalGeneration", OURS_T5 | {"feed_forward": "geglu"}),
    "ours-t5-plain": ("T5ForConditionalGeneration", OURS_T5 | {"attention_scale": False, "scale_embedding": False, "d_k": 4, "d_v": 9}),
    "ours-bart": ("BartForConditionalGeneration", OURS_BART | {"activation": "gelu", "output_bias": True}),
    "ours-bart-sines": ("BartForConditionalGeneration", OURS_BART | {"positions": "interleaved", "attention_bias": True, "d_k": 7}),
}


def spm(lines, kind, **ids):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(lines), model_writer=model, vocab_size=PIECES, model_type=kind,
                                             minloglevel=2, **ids)
    return model.getvalue()


class T5Tokens:
    """spiece.model, and sentinels behind its pieces, the last one first."""
    source = target = None
    options = []

    def __init__(self, lines):
        self.content = spm(lines, "unigram", pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
        self.own = sentencepiece.SentencePieceProcessor(model_proto=self.content)
        self.unknown, self.size, self.begins = 2, PIECES + 100, ([], [])

    def encode(self, line):
        parts, ids = line.split(" <extra_id_1>"), []
        for i, part in enumerate(parts):
            ids += [PIECES + 98] * (i > 0) + self.own.encode(part)
        return ids

    def decode(self, ids):
        return self.own.decode([id for id in ids if id < PIECES])

    def save(self, folder):
        (folder / "spiece.model").write_bytes(self.content)


class Languages:
    def __init__(self, lines):
        self.content = spm(lines, "bpe")
        self.own = sentencepiece.SentencePieceProcessor(model_proto=self.content)
        self.pieces = [self.own.id_to_piece(i) for i in range(PIECES)]
        self.unknown = 3

    def decode(self, ids):
        return self.own.decode([self.names[id] for id in ids if id > 3 and self.names[id] in self.pieces])


class M2mTokens(Languages):
    """transformers' own tokenizer writes the files. The numbering lacks some pieces."""
    options = ["--source-language", "en", "--target-language", "de"]

    def __init__(self, lines, work):
        super().__init__(lines)
        (work / "m2m.model").write_bytes(self.content)
        kept = [p for p in self.pieces if p not in ("<unk>", "<s>", "</s>") and p[-1:] != "q"]
        vocabulary = {p: i for i, p in enumerate(["<s>", "<pad>", "</s>", "<unk>"] + kept)}
        (work / "m2m.json").write_text(json.dumps(vocabulary))
        self.theirs = M2M100Tokenizer(str(work / "m2m.json"), str(work / "m2m.model"), src_lang="en", tgt_lang="de")
        self.size = len(vocabulary) + 100 + 8
        self.begins = [self.theirs.get_lang_id("en")], [self.theirs.get_lang_id("de")]
        self.names = {id: piece for piece, id in vocabulary.items()}

    def encode(self, line):
        return self.theirs(line)["input_ids"][:-1]

    def decode(self, ids):
        return super().decode([id for id in ids if id in self.names])

    def save(self, folder):
        self.theirs.save_pretrained(folder)


class NllbTokens(Languages):
    """fairseq's numbering of the pieces, then languages, as the published folders have them."""
    options = ["--source-language", "eng_Latn", "--target-language", "deu_Latn"]
    languages = ["ace_Arab", "deu_Latn", "eng_Latn", "fra_Latn"]

    def __init__(self, lines):
        super().__init__(lines)
        self.names = dict(enumerate(["<s>", "<pad>", "</s>", "<unk>"] + self.pieces[3:] + self.languages + ["<mask>"]))
        self.size = len(self.names) + 3
        self.ids = {name: id for id, name in self.names.items()}
        self.begins = [self.ids["eng_Latn"]], [self.ids["deu_Latn"]]

    def encode(self, line):
        return self.begins[0] + [self.ids.get(piece, 3) for piece in self.own.encode(line, out_type=str)]

    def save(self, folder):
        (folder / "sentencepiece.bpe.model").write_bytes(self.content)
        (folder / "special_tokens_map.json").write_text(json.dumps(
            {"unk_token": "<unk>", "additional_special_tokens": self.languages + ["<mask>"]}))


class MbartTokens(NllbTokens):
    options = ["--source-language", "en_XX", "--target-language", "de_DE"]
    languages = ["ar_AR", "de_DE", "en_XX", "fr_XX"]

    def __init__(self, lines):
        Languages.__init__(self, lines)
        self.names = dict(enumerate(["<s>", "<pad>", "</s>", "<unk>"] + self.pieces[3:] + self.languages + ["<mask>"]))
        self.size = len(self.names)
        self.ids = {name: id for id, name in self.names.items()}
        self.begins = [self.ids["en_XX"]], [self.ids["de_DE"]]

    def save(self, folder):
        super().save(folder)
        (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "MBart50Tokenizer"}))


class BartTokens:
    """GPT-2's pairs of bytes; each source and each output begins with <s>."""
    options, unknown, begins = [], 3, ([0], [0])

    def __init__(self, lines):
        self.own = tokenizers.ByteLevelBPETokenizer()
        self.own.train_from_iterator(lines, vocab_size=PIECES, special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
                                     show_progress=False)
        self.size = self.own.get_vocab_size()

    def encode(self, line):
        return [0] + self.own.encode(line).ids

    def decode(self, ids):
        return self.own.decode([id for id in ids if id > 3])

    def save(self, folder):
        self.own.save_model(str(folder))


def trained_model(kind, config, tokens, pairs):
    """From random weights and a little trained, so that outputs vary and end."""
    torch.manual_seed(1)
    model = kind(config)
    with torch.no_grad():
        for p in model.parameters():
            if p.dim() == 1:
                p.add_(torch.randn_like(p) * 0.1)
        if isinstance(config, (BartConfig, MBartConfig)):
            model.final_logits_bias.normal_(0, 0.3)
        if isinstance(config, MT5Config) or (isinstance(config, T5Config) and not model.config.scale_decoder_outputs):
            model.lm_head.weight = torch.nn.Parameter(model.lm_head.weight + torch.randn_like(model.lm_head.weight) * 0.1)
    end, pad = config.eos_token_id, config.pad_token_id
    rows = [(tokens.encode(source) + [end], tokens.begins[1] + tokens.encode(target)[len(tokens.begins[0]):] + [end]) for source, target in pairs]
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    padded = lambda batch, filler: torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in batch], batch_first=True, padding_value=filler)
    with torch.enable_grad():
        for update in range(UPDATES):
            sources, targets = zip(*(rows[(update * 16 + i) % len(rows)] for i in range(16)))
            source = padded(sources, pad)
            loss = model(input_ids=source, attention_mask=source.ne(pad), labels=padded(targets, -100)).loss
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model.eval()


def log_probability(theirs, source, output, end, forced):
    start = theirs.config.decoder_start_token_id
    logits = theirs(input_ids=torch.tensor([source]), decoder_input_ids=torch.tensor([[start] + output])).logits[0].double()
    logs = torch.log_softmax(logits, -1)
    return sum(logs[i, id].item() for i, id in enumerate(output + [end]) if i >= forced)


class Check:
    def __init__(self, programs, name, theirs, tokens, sentences):
        self.programs, self.name, self.theirs, self.tokens, self.sentences = programs, name, theirs, tokens, sentences
        config = theirs.config
        self.end = config.eos_token_id
        first = [tokens.unknown, config.pad_token_id, config.decoder_start_token_id, self.end]
        self.places = first + [id for id in range(config.vocab_size) if id not in first]
        self.ours = {id: i for i, id in enumerate(self.places) if i != 2}
        self.worst, self.notes, self.failed = 0.0, [], []
        folder, self.model = programs.work / f"theirs-{name}", programs.work / f"model-{name}"
        theirs.save_pretrained(folder)
        if name in PICKLED:
            (folder / "model.safetensors").unlink()
            torch.save(theirs.state_dict(), folder / "pytorch_model.bin")
        tokens.save(folder)
        programs.run("transformer-import", "--model", folder, "--output", self.model, "--quiet", *tokens.options)

    def expect(self, good, what):
        if not good:
            self.failed.append(what)

    def logits(self):
        sources = [self.tokens.encode(line) for line in self.sentences[:12]]
        targets = [self.tokens.begins[1] + self.tokens.encode(line)[len(self.tokens.begins[0]):][:30] for line in self.sentences[12:24]]
        found = self.programs.logits(self.model, [[self.ours[i] for i in s] for s in sources], [[self.ours[i] for i in t] for t in targets])
        columns = [i for i in range(len(self.places)) if i != 2]
        for source, target, logits in zip(sources, targets, found):
            expected = self.theirs(input_ids=torch.tensor([source + [self.end]]),
                                   decoder_input_ids=torch.tensor([[self.theirs.config.decoder_start_token_id] + target])).logits[0]
            expected = expected[:, [self.places[i] for i in columns]]
            self.worst = max(self.worst, (logits[:, columns] - expected).abs().max().item() / expected.abs().max().item())
        self.expect(self.worst <= TOLERANCE, f"logits differ by {self.worst:.1e} of the largest")

    def encoded(self):
        lines = self.sentences + ["A man <extra_id_1> with his bicycle."] * isinstance(self.tokens, T5Tokens)
        done = subprocess.run([str(self.programs.bin / "formats_print_logits"), "encode", self.model], input="\n".join(lines) + "\n",
                              capture_output=True, text=True, check=True)
        for line, text in zip(lines, done.stdout.splitlines()):
            found, expected = [self.places[i] for i in json.loads(text)], self.tokens.encode(line)
            self.expect(found == expected, f"'{line}' is {found}, not {expected}")

    def texts(self, beam):
        lines, forced = self.sentences[:LINES], len(self.tokens.begins[1])
        (self.programs.work / "lines").write_text("\n".join(lines) + "\n")
        options = {"beam": beam, "alpha": 0, "length_offset": LONGEST}
        found = self.programs.run(
            "transformer-translate", "--model", self.model, "--quiet", "--threads", "1", "--input", self.programs.work / "lines",
            *(part for key, value in options.items() for part in ("--set", f"decode.{key}={value}"))).splitlines()
        equal = better = 0
        for line, text in zip(lines, map(str.strip, found)):
            source = self.tokens.encode(line) + [self.end]
            begin = {"forced_bos_token_id": self.tokens.begins[1][0]} if forced else {}
            output = self.theirs.generate(torch.tensor([source]), num_beams=beam, do_sample=False, length_penalty=0.0, early_stopping=False,
                                          max_length=len(source) - 1 + LONGEST + 2, use_cache=False, suppress_tokens=[self.theirs.config.pad_token_id], **begin)
            ids = output[0, 1:].tolist()
            ids = ids[:ids.index(self.end)] if self.end in ids else ids[:-1]  # ours keeps a place for the end
            expected = self.tokens.decode(ids[forced:]).strip()
            equal += text == expected
            if text != expected and beam > 1:
                ours = self.tokens.encode(text)[len(self.tokens.begins[0]):]
                better += (log_probability(self.theirs, source, self.tokens.begins[1] + ours, self.end, forced)
                           >= log_probability(self.theirs, source, ids, self.end, forced) - 1e-4)
        self.notes.append(f"beam {beam}: {equal} of {LINES} texts equal" + (f", {better} of ours at least as probable" if beam > 1 else ""))
        # A hypothesis that ends leaves its place to others in theirs and not in ours.
        self.expect(equal == LINES if beam == 1 else 4 * (LINES - equal - better) <= LINES, self.notes[-1])


class Export:
    """What transformers makes of a folder of ours. tokens: those that the model came in with, whose ids it has again."""

    def __init__(self, check, sample):
        self.check, self.programs = check, check.programs
        (self.programs.work / "sample").write_text("\n".join(sample) + "\n")
        self.folder = self.programs.work / f"exported-{check.name}"
        proof = self.programs.run("transformer-export", "--model", check.model, "--format", "huggingface", "--output", self.folder,
                                  "--sample", self.programs.work / "sample", "--sentences", "30", "--threads", "1", "--overwrite")
        check.expect("texts as tokens" in proof, f"no texts were compared: {proof}")
        self.theirs = AutoModelForSeq2SeqLM.from_pretrained(self.folder).eval()
        self.tokenizer = AutoTokenizer.from_pretrained(self.folder)
        self.worst = 0.0

    def logits(self, sources, targets, ours, places, start):
        """ours: our ids of theirs; places: theirs of ours"""
        found = self.programs.logits(self.check.model, [[ours[i] for i in s] for s in sources], [[ours[i] for i in t] for t in targets])
        columns = [i for i in range(len(places)) if i not in (1, 2)]  # padding and begin
        end = self.theirs.config.eos_token_id
        for source, target, logits in zip(sources, targets, found):
            computed = self.theirs(input_ids=torch.tensor([source + [end]]), decoder_input_ids=torch.tensor([[start] + target])).logits[0]
            computed = computed[:, [places[i] for i in columns]]
            self.worst = max(self.worst, (logits[:, columns] - computed).abs().max().item() / logits[:, columns].abs().max().item())
        self.check.expect(self.worst <= TOLERANCE, f"logits of the export differ by {self.worst:.1e} of the largest")

    def encoded(self, lines, expected_of):
        for line in lines:
            found, expected = self.tokenizer(line)["input_ids"], expected_of(line)
            self.check.expect(found == expected, f"'{line}' is {found} in the export, not {expected}")

    def texts(self, lines):
        """Greedy outputs of generate() with the folder's own settings, the length apart."""
        found = self.programs.translate(self.check.model, lines, "--beam", "1", "--set", f"decode.length_offset={LONGEST}")
        equal = 0
        for line, text in zip(lines, found):
            source = self.tokenizer(line, return_tensors="pt")["input_ids"]
            output = self.theirs.generate(source, num_beams=1, do_sample=False, use_cache=False,
                                          max_length=source.shape[1] - 1 + LONGEST + 2)
            theirs = self.tokenizer.decode(output[0], skip_special_tokens=True)
            equal += theirs.split() == text.split()
            if theirs.split() != text.split():
                self.check.expect(False, f"'{line}' becomes '{theirs}' in the export, not '{text}'")
        return f"{equal} of {len(lines)} greedy texts equal"


def exported(check):
    """A model that came in leaves: its ids are those that it came with."""
    export = Export(check, check.sentences[:30])
    tokens, end = check.tokens, check.end
    sources = [tokens.encode(line) for line in check.sentences[:12]]
    targets = [tokens.begins[1] + tokens.encode(line)[len(tokens.begins[0]):][:30] for line in check.sentences[12:24]]
    export.logits(sources, targets, check.ours, check.places, check.theirs.config.decoder_start_token_id)
    check.expect(export.theirs.config.vocab_size == check.theirs.config.vocab_size, "another vocabulary leaves than came")
    lines = check.sentences + ["A man <extra_id_1> with his bicycle."] * isinstance(tokens, T5Tokens)
    export.encoded(lines, lambda line: tokens.encode(line) + [end])
    return export, export.texts(check.sentences[:LINES])


class Ours(Check):
    """A model of ours with random weights. Its ids stay, but beside T5's own tokenizer."""

    def __init__(self, programs, name, kind, options, sentences):
        self.programs, self.name, self.sentences, self.tokens, self.failed = programs, name, sentences, None, []
        self.own_form = name.endswith("-unigram")
        self.model = programs.random_model(name, SMALL_OURS | options, {"max_tokens": 100}, self.own_form and self.unigram())
        if kind == "T5ForConditionalGeneration":
            without_biases(self.model)
        self.export = Export(self, sentences[:30])
        self.expect(self.export.theirs.config.architectures == [kind], f"leaves as {self.export.theirs.config.architectures}")
        tokenizer = type(self.export.tokenizer).__name__
        self.expect(tokenizer == ("T5Tokenizer" if self.own_form else "MarianTokenizer"), f"leaves with {tokenizer}")

    def unigram(self):
        folder = self.programs.work / "unigram"
        folder.mkdir(exist_ok=True)
        (folder / "tokenizer.model").write_bytes(spm(self.sentences * 3, "unigram", unk_id=0, pad_id=1, bos_id=2, eos_id=3))
        return "unigram"

    def compare(self):
        own = sentencepiece.SentencePieceProcessor(model_file=str(self.model / "tokenizer.model"))
        places = list(range(own.get_piece_size()))  # theirs of ours
        if self.own_form:
            places[:4] = [2, 0, 3, 1]
        ids = [[places[i] for i in own.encode(line)] for line in self.sentences]
        self.export.logits(ids[:8], [row[:30] for row in ids[8:16]], {id: i for i, id in enumerate(places)}, places, places[2])
        self.export.encoded(self.sentences, lambda line: [places[i] for i in own.encode(line)] + [places[3]])
        return self.export.texts(self.sentences[:8])


def without_biases(model):
    """T5's layers have none: zeros take their place."""
    file = model / "model.safetensors"
    weights = {name: torch.zeros_like(value) if name.endswith(".bias") else value for name, value in load_file(file).items()}
    save_file(weights, file)
    sums = model / "checksums.sha256"
    sums.write_text("".join(f"{hashlib.sha256((model / line.split()[1]).read_bytes()).hexdigest()}  {line.split()[1]}\n"
                            for line in sums.read_text().splitlines()))


def main():
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    programs = Programs(*sys.argv[1:3])
    sentences = programs.prepare()
    corpus = programs.work / "corpus"
    pairs = list(zip(*((corpus / f"train.{side}").read_text(encoding="utf-8").splitlines() for side in ("en", "de"))))
    pairs = sorted(pairs, key=lambda pair: len(pair[0]))[:800]
    sentences = sorted(sentences, key=len)
    lines = (sentences + [german for _, german in pairs]) * 3
    t5, m2m, nllb = T5Tokens(lines), M2mTokens(lines, programs.work), NllbTokens(lines)
    bart, mbart = BartTokens(lines), MbartTokens(lines)
    models = {
        "t5": (T5ForConditionalGeneration, T5Config(**SMALL_T5), t5),
        "t5-v1.1": (T5ForConditionalGeneration, T5Config(**SMALL_T5, **GATED), t5),
        "mt5": (MT5ForConditionalGeneration, MT5Config(**SMALL_T5, **GATED), t5),
        "m2m-100": (M2M100ForConditionalGeneration, M2M100Config(**SMALL_M2M, vocab_size=m2m.size), m2m),
        "bart": (BartForConditionalGeneration, BartConfig(**SMALL_M2M, vocab_size=bart.size, forced_bos_token_id=0), bart),
        "mbart-50": (MBartForConditionalGeneration, MBartConfig(**SMALL_M2M, vocab_size=mbart.size, scale_embedding=True), mbart),
        "nllb": (M2M100ForConditionalGeneration, M2M100Config(**SMALL_M2M, vocab_size=nllb.size, activation_function="gelu"), nllb),
    }
    failed = False
    only = sys.argv[3:]
    with torch.no_grad():
        for name, (kind, config, tokens) in models.items():
            if only and name not in only:
                continue
            check = Check(programs, name, trained_model(kind, config, tokens, pairs), tokens, sentences)
            check.logits()
            check.encoded()
            check.texts(1)
            check.texts(4)
            if name != "mbart-50":
                export, note = exported(check)
                check.notes.append(f"leaves as {export.theirs.config.architectures[0]}, logits differ by {export.worst:.1e}, {note}")
            failed |= bool(check.failed)
            print(f"  {name:<8} logits differ by {check.worst:.1e} of the largest; {'; '.join(check.notes)}", *check.failed[:8],
                  sep="\n    ", flush=True)
        for name, (kind, options) in OURS.items():
            if only and name not in only:
                continue
            check = Ours(programs, name, kind, options, sentences)
            note = check.compare()
            failed |= bool(check.failed)
            print(f"  {name:<15} leaves as {kind}: logits differ by {check.export.worst:.1e} of the largest; {note}", *check.failed[:8],
                  sep="\n    ", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
