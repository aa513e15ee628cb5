#!/usr/bin/env python3
"""Language models of transformers come in, and go out again: the same logits, greedy texts and ids.

usage: check_huggingface.py BIN_DIR WORK_DIR
"""
import io
import json
import pathlib
import sys

import sentencepiece
import tokenizers
import torch
import transformers
from transformers import AutoModelForCausalLM, AutoTokenizer, GemmaConfig, GPT2Config, LlamaConfig, MistralConfig

sys.path.insert(0, str(pathlib.Path(__file__).parent / "common"))
from exports import Programs  # noqa: E402

TOLERANCE = 1e-4  # of the largest logit
PIECES, NEW = 400, 16
SMALL = {"vocab_size": PIECES, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2,
         "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 128}
SMALL_GPT2 = {"vocab_size": PIECES, "n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 128}
# Configuration and tokenizer: SentencePiece's, GPT-2's pairs of bytes, or none, so that texts are ids.
MODELS = {
    "llama-grouped": (LlamaConfig(**SMALL, rope_parameters={"rope_type": "default", "rope_theta": 500000.0}), "pieces"),
    "llama-biases": (LlamaConfig(**SMALL, head_dim=24, attention_bias=True, mlp_bias=True, tie_word_embeddings=True), "pieces"),
    "llama-wide": (LlamaConfig(**SMALL | {"vocab_size": PIECES + 20}, pad_token_id=410), "pieces"),
    "mistral": (MistralConfig(**SMALL, sliding_window=128), "pieces"),
    "gemma": (GemmaConfig(**SMALL, head_dim=24, bos_token_id=1, eos_token_id=2, pad_token_id=None), "pieces"),
    "gpt2-untied": (GPT2Config(**SMALL_GPT2, n_inner=80, activation_function="gelu", tie_word_embeddings=False,
                               bos_token_id=1, eos_token_id=2), "pieces"),
    "gpt2-pairs": (GPT2Config(**SMALL_GPT2, bos_token_id=0, eos_token_id=0), "pairs"),
    "gpt2-ids": (GPT2Config(**SMALL_GPT2, bos_token_id=399, eos_token_id=399), "ids"),
}
SMALL_OURS = {"kind": "decoder", "norm": "pre", "decoder_layers": 2, "d_model": 64, "d_ff": 96, "heads": 4, "d_k": 16,
              "d_v": 16, "scale_embedding": False}
# Of ours, with options beside those of a small model.
OURS = {
    "own-llama": {"positions": "rotary", "norm_type": "rms", "feed_forward": "swiglu", "kv_heads": 2, "rotary_base": 500,
                  "d_k": 24, "d_v": 24, "tie": "none"},
    "own-gpt2": {"positions": "learned", "activation": "gelu_tanh", "max_positions": 128},
}


def tokenizer_model(lines):
    """SentencePiece's, with the ids that Llama's has."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, vocab_size=PIECES, model_type="bpe", byte_fallback=True,
        normalization_rule_name="identity", remove_extra_whitespaces=False, pad_id=-1, minloglevel=2)
    return model.getvalue()


class Pieces:
    """Their tokenizer: text to ids and back, its files, and its id of what is unknown."""

    def __init__(self, lines):
        self.own = sentencepiece.SentencePieceProcessor(model_proto=tokenizer_model(lines))
        self.encode, self.decode, self.unknown = self.own.encode, self.own.decode, self.own.unk_id()

    def save(self, folder):
        (folder / "tokenizer.model").write_bytes(self.own.serialized_model_proto())


class Pairs:
    def __init__(self, lines):
        self.own, self.unknown = tokenizers.ByteLevelBPETokenizer(), None
        self.own.train_from_iterator(lines, vocab_size=PIECES, special_tokens=["<|endoftext|>"], show_progress=False)
        self.decode = self.own.decode

    def encode(self, text):
        return self.own.encode(text).ids

    def save(self, folder):
        self.own.save_model(str(folder))


class Ids:
    """Texts that are ids: of other pieces, which nobody is told."""

    def __init__(self, pieces):
        self.pieces, self.unknown = pieces, None

    def encode(self, text):
        return [int(id) for id in text.split()] if text[:1].isdigit() else self.pieces.encode(text)

    def decode(self, ids):
        return " ".join(map(str, ids))

    def save(self, folder):
        pass


def random_model(config):
    torch.manual_seed(1)
    model = AutoModelForCausalLM.from_config(config).eval()
    with torch.no_grad():
        for name, p in model.named_parameters():
            p.mul_(6) if p.dim() > 1 else p.add_(0.2 * torch.randn_like(p))
    return model


def order(config, tokenizer):
    """Their ids in the order of ours; None: a new one."""
    first = [tokenizer.unknown, config.pad_token_id, config.bos_token_id, config.eos_token_id]
    first = [None if id in first[i + 1:] else id for i, id in enumerate(first)]
    return first + [id for id in range(config.vocab_size) if id not in first]


class Check:
    def __init__(self, programs, name, sentences):
        self.programs, self.name, self.sentences = programs, name, sentences
        self.worst, self.failed = 0.0, []

    def expect(self, good, what):
        if not good:
            self.failed.append(what)

    def close(self, ours, theirs, what):
        difference = (ours - theirs).abs().max().item() / theirs.abs().max().item()
        self.worst = max(self.worst, difference)
        self.expect(difference <= TOLERANCE, f"{what}: logits differ by {difference:.1e} of the largest")

    def native(self, model, texts):
        return self.programs.logits(model, [[] for _ in texts], texts)

    def imported(self, theirs, tokenizer):
        """The model directory, once it was compared."""
        folder, model = self.programs.work / f"theirs-{self.name}", self.programs.work / f"model-{self.name}"
        theirs.save_pretrained(folder)
        tokenizer.save(folder)
        self.programs.run("transformer-import", "--model", folder, "--output", model, "--quiet")
        config, places = theirs.config, order(theirs.config, tokenizer)
        ours = {id: i for i, id in enumerate(places) if id is not None}
        begin = config.eos_token_id if config.bos_token_id == config.eos_token_id else config.bos_token_id
        known = [i for i, id in enumerate(places) if id is not None and i > 0]
        texts = [[begin] + tokenizer.encode(line)[:60] for line in self.sentences[:8]]
        for text, found in zip(texts, self.native(model, [[ours[id] for id in text] for text in texts])):
            expected = theirs(torch.tensor([text])).logits[0]
            self.close(found[:, known], expected[:, [places[i] for i in known]], "import")
        # Ours never gives padding and begin.
        hidden = [id for id in (config.pad_token_id, config.bos_token_id) if id not in (None, config.eos_token_id)]
        prompts = [tokenizer.decode(text[1:6]) for text in texts[:4]]
        lines = self.programs.run(
            "transformer-generate", "--model", model, "--temperature", "0", "--json", "--max-tokens", str(NEW), "--threads", "1",
            "--quiet", *(argument for prompt in prompts for argument in ("--prompt", prompt))).splitlines()
        for prompt, line in zip(prompts, lines):
            ids = torch.tensor([[begin] + tokenizer.encode(prompt)])
            output = theirs.generate(ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=NEW,
                                     suppress_tokens=hidden or None, pad_token_id=config.eos_token_id)
            expected, found = output[0, ids.shape[1]:].tolist(), [places[id] for id in json.loads(line)["ids"]]
            if config.eos_token_id in expected:
                expected = expected[:expected.index(config.eos_token_id)]
            self.expect(found == expected, f"texts {found} and {expected}")
        return model

    def exported(self, model, encode=None):
        """Compares our logits with those that transformers computes of the export, and ids of texts with `encode`."""
        folder = self.programs.export(model, "huggingface")
        theirs, tokenizer = AutoModelForCausalLM.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
        texts = [tokenizer(line)["input_ids"][:60] for line in self.sentences[:8]]
        for text, found in zip(texts, self.native(model, texts)):
            self.expect(text[0] == theirs.config.bos_token_id, "export: texts do not begin with the begin token")
            self.close(found[:, 3:], theirs(torch.tensor([text])).logits[0][:, 3:], "export")
        for line in self.sentences[:50] if encode else []:
            expected, found = encode(line), tokenizer(line)["input_ids"][1:]
            self.expect(found == expected, f"'{line}' is {found}, not {expected}")
        return f", goes as {theirs.config.architectures[0]}"


def main():
    transformers.logging.set_verbosity_error()
    programs = Programs(*sys.argv[1:3])
    sentences = programs.prepare()
    readers = {"pieces": Pieces(sentences * 3), "pairs": Pairs(sentences * 3)}
    readers["ids"] = Ids(readers["pieces"])
    failed = False
    with torch.no_grad():
        for name in MODELS | OURS:
            check, left = Check(programs, name, sentences), ""
            if name in OURS:
                left = check.exported(programs.random_model(name, SMALL_OURS | OURS[name], {"examples": "documents"}))
            else:
                config, kind = MODELS[name]
                reader = readers[kind]
                model = check.imported(random_model(config), reader)
                ours = {id: i for i, id in enumerate(order(config, reader)) if id is not None}
                if kind != "ids":
                    left = check.exported(model, lambda line: [ours[id] for id in reader.encode(line)])
            failed |= bool(check.failed)
            print(f"  {name:<16} logits differ by {check.worst:.1e} of the largest{left}", *check.failed, sep="\n    ", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
