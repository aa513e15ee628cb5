"""What the checks share: models to export, and what the project's own programs make of them."""
import json
import os
import pathlib
import subprocess

import yaml
from safetensors.torch import load_file

BEGIN, END = 2, 3

# Each is one option, or several that meet, away from a small model of the paper's kind.
VARIANTS = {
    "paper": {},
    "halves": {"positions": "halves"},
    "tensor2tensor": {"positions": "tensor2tensor"},
    "learned": {"positions": "learned"},
    "rotary": {"positions": "rotary"},
    "rotary-base": {"positions": "rotary", "rotary_base": 500},
    "bias": {"positions": "bias"},
    "alibi": {"positions": "alibi"},
    "no-positions": {"positions": "none"},
    "positions-each-layer": {"positions": "every_layer"},
    "rms": {"norm_type": "rms"},
    "batch-norm": {"norm_type": "batch"},
    "rms-pre": {"norm_type": "rms", "norm": "pre"},
    # Small, since nothing keeps such random weights from making ever larger numbers.
    "no-norms": {"norm_type": "none", "layers": 1, "feed_forward": "none", "d_k": 4, "tie": "none"},
    "pre-norm": {"norm": "pre"},
    "sandwich": {"norm": "sandwich"},
    "no-residuals": {"residual": False},
    "parallel": {"parallel_sublayers": True},
    "parallel-pre": {"parallel_sublayers": True, "norm": "pre"},
    "glu": {"feed_forward": "glu"},
    "swiglu": {"feed_forward": "swiglu"},
    "geglu": {"feed_forward": "geglu"},
    "no-feed-forward": {"feed_forward": "none"},
    "relative": {"positions": "relative", "relative_distance": 3},
    "additive": {"attention_score": "additive"},
    "window": {"attention_window": 2},
    "window-bias": {"attention_window": 2, "positions": "bias"},
    "one-kv-head": {"kv_heads": 1},
    "kv-heads-rotary": {"kv_heads": 2, "positions": "rotary"},
    "qk-norm": {"qk_norm": True},
    "qk-norm-unscaled": {"qk_norm": True, "attention_scale": False, "d_k": 4},
    "unscaled": {"attention_scale": False, "d_k": 4},
    "gelu": {"activation": "gelu"},
    "gelu-tanh": {"activation": "gelu_tanh"},
    "swish": {"activation": "swish"},
    "attention-biases": {"attention_bias": True},
    "output-bias": {"output_bias": True},
    "tied-target": {"tie": "target"},
    "nothing-tied": {"tie": "none"},
    "unscaled-embedding": {"scale_embedding": False},
    "embedding-norm": {"embedding_norm": True, "positions": "learned"},
    "no-source-end": {"source_end": False},
    "two-vocabularies": {"tie": "target"},
    "large-epsilon": {"norm_epsilon": 1e-2},
    "small-queries": {"d_k": 4},
    "small-values": {"d_v": 6},
    "large-queries": {"d_k": 40, "d_v": 24},
    "odd-heads": {"heads": 3, "d_k": 8, "d_v": 8},
    "many": {"d_k": 40, "norm": "pre", "attention_bias": True, "tie": "target", "positions": "learned"},
}
# Of another kind, which only TorchScript takes.
RECURRENT = {
    "gru-additive": {"kind": "recurrent"},
    "lstm-feeding": {"kind": "recurrent cell=lstm attention=product input_feeding=true reverse_source=true"},
    "lstm-fixed": {"kind": "recurrent cell=lstm attention=none bidirectional=false"},
}
# Language models: away from the paper's layers, and from Llama's.
LLAMA = {"positions": "rotary", "norm": "pre", "norm_type": "rms", "feed_forward": "swiglu"}
LANGUAGE = {
    "gpt": {"positions": "learned", "norm": "pre", "activation": "gelu", "attention_bias": True},
    "gpt-tanh": {"positions": "learned", "norm": "pre", "activation": "gelu_tanh"},
    "alibi": {"positions": "alibi"},
    "bias": {"positions": "bias"},
    "glu-untied": {"feed_forward": "glu", "tie": "none", "output_bias": True},
    "rms-small-values": {"norm_type": "rms", "d_v": 6},
    "llama": LLAMA,
    "llama-grouped": LLAMA | {"kv_heads": 2, "scale_embedding": False, "rotary_base": 500},
    "llama-geglu": LLAMA | {"feed_forward": "geglu"},
    "llama-one-kv-head": LLAMA | {"kv_heads": 1, "tie": "none", "norm_epsilon": 1e-3},
    "llama-large-queries": LLAMA | {"d_k": 20, "d_v": 6},
    "llama-biases": LLAMA | {"d_v": 6, "attention_bias": True},
    "llama-wide-biases": LLAMA | {"d_k": 20, "attention_bias": True},
    "llama-wide-values": LLAMA | {"d_v": 24},
    "llama-qk-norm": LLAMA | {"qk_norm": True},
}
SMALL_RECURRENT = {"layers": 2, "d_model": 64}
SMALL = {"layers": 2, "d_model": 64, "d_ff": 96, "heads": 4, "d_k": 16, "d_v": 16, "max_positions": 200}


def logit_difference(found, expected):
    """The largest difference of logits, of those beyond 10 relative to a tenth of them."""
    return (found - expected).abs().max().item() / max(1, expected.abs().max().item() / 10)


class Programs:
    """Those of the project, with a scratch folder and a small corpus in it."""

    def __init__(self, bin_folder, work):
        self.bin, self.work = pathlib.Path(bin_folder), pathlib.Path(work)

    def run(self, program, *arguments):
        # The models are so small that threads would only wait for each other.
        result = subprocess.run([self.bin / program, *arguments], capture_output=True, encoding="utf-8",
                                env=os.environ | {"OMP_NUM_THREADS": "1"})
        if result.returncode != 0:
            raise SystemExit(f"{program} {' '.join(map(str, arguments))}: {result.stderr}")
        return result.stdout

    def prepare(self):
        """Tokenizers of the demo corpus: one for both languages, and one for each. → source sentences"""
        corpus = self.work / "corpus"
        self.run("transformer-demo-corpus", "--output", corpus, "--train", "2000", "--dev", "50", "--test", "100")
        for name, shared in ("one", True), ("two", False):
            config = self.work / f"prepare-{name}.yaml"
            config.write_text(yaml.safe_dump({"data": {
                "source": "en", "target": "de", "train": str(corpus / "train"), "dev": str(corpus / "dev"),
                "vocabulary": 400, "shared_vocabulary": shared, "prepared": str(self.work / name)},
                "model": {"tie": "all" if shared else "none"}}))
            self.run("transformer-prepare", "--config", config, "--quiet")
        return (corpus / "test.en").read_text(encoding="utf-8").splitlines()

    def random_models(self):
        """Yields name and model directory of a random model of every kind, one after another."""
        for name in VARIANTS:
            yield name, self.random_model(name)

    def random_recurrent_models(self):
        for name, options in RECURRENT.items():
            yield name, self.random_model(name, SMALL_RECURRENT | options)

    def random_language_models(self):
        for name, options in LANGUAGE.items():
            yield name, self.random_model(name, SMALL | {"kind": "decoder"} | options, {"examples": "documents", "max_tokens": 100})

    def random_model(self, name, options=None, data=None, tokenizers=None):
        """tokenizers: a folder of them in the scratch folder"""
        tokenizers = tokenizers or ("two" if name == "two-vocabularies" else "one")
        config, folder = self.work / f"{name}.yaml", self.work / f"model-{name}"
        config.write_text(yaml.safe_dump({
            "data": {"max_tokens": 100, "shared_vocabulary": tokenizers != "two"} | (data or {}),
            "model": options or SMALL | VARIANTS[name]}))
        self.run("formats_random_model", config, self.work / tokenizers, folder)
        return folder

    def refused_key(self, name, model, form):
        """The key by which the format refuses a model of this kind: one that the kind sets. None: it is written."""
        result = subprocess.run(
            [self.bin / "transformer-export", "--model", model, "--format", form, "--output", self.work / f"tried-{form}",
             "--overwrite", "--sentences", "1", "--threads", "1"], capture_output=True, encoding="utf-8")
        if result.returncode == 0:
            return None
        error = result.stderr.splitlines()[-1]
        key = error.removeprefix("error: model.").split(":")[0]
        language = "kind: decoder" in (self.work / f"{name}.yaml").read_text()
        keys = [*LANGUAGE[name], *LLAMA] if language else VARIANTS[name]
        if result.returncode != 2 or key not in keys:
            raise SystemExit(f"{name}: {form}: expected a line that names one of {list(keys)}: {error}")
        return f"model.{key}"

    def export(self, model, form, precision="fp32"):
        output = self.work / f"{form}-{precision}-{pathlib.Path(model).name}"
        self.run("transformer-export", "--model", model, "--format", form, "--output", output, "--overwrite",
                 "--sentences", "8", "--threads", "1", "--precision", precision)
        return output

    def generate(self, model, texts, tokens):
        """The greedy continuations of prompts, in ids."""
        prompts = self.work / "prompts.txt"
        prompts.write_text("".join(line + "\n" for line in texts), encoding="utf-8")
        output = self.run("transformer-generate", "--model", model, "--input", prompts, "--precision", "fp32", "--threads", "1",
                          "--quiet", "--temperature", "0", "--max-tokens", str(tokens), "--json")
        return [json.loads(line)["ids"] for line in output.splitlines()]

    def translate(self, model, sentences, *options):
        source = self.work / "source.txt"
        source.write_text("".join(line + "\n" for line in sentences), encoding="utf-8")
        output = self.run("transformer-translate", "--model", model, "--input", source, "--precision", "fp32",
                          "--threads", "1", "--quiet", *options)
        return output.split("\n")[:-1]

    def logits(self, model, sources, targets):
        """Of sentences of ids without begin and end: a tensor (T + 1, V) for each. Texts of a language model are whole."""
        files = self.work / "sources.ids", self.work / "targets.ids"
        for file, rows in zip(files, (sources, targets)):
            file.write_text("".join(" ".join(map(str, row)) + "\n" for row in rows))
        self.run("formats_native_logits", model, *files, self.work / "logits.safetensors")
        logits = load_file(self.work / "logits.safetensors")
        return [logits[str(i)] for i in range(len(sources))]


def tokenizer_files(folder):
    """Those of source and target, which may be one."""
    folder = pathlib.Path(folder)
    one = folder / "tokenizer.model"
    return (one, one) if one.exists() else (folder / "tokenizer.source.model", folder / "tokenizer.target.model")


def tokenizer_of(programs, model):
    """The SentencePiece model of a language model, as exports for programs without this project have it."""
    import sentencepiece
    return sentencepiece.SentencePieceProcessor(model_file=str(pathlib.Path(model) / "tokenizer.model"))


def longest_equal(ours, theirs):
    """Tokens before the first that differs."""
    pairs = list(zip(ours, theirs))
    return next((i for i, (a, b) in enumerate(pairs) if a != b), len(pairs))


def stories(programs):
    """llama2.c's small model of stories as (name, model directory, prompts), if it lies beside the repository."""
    folder = pathlib.Path(__file__).parents[3].parent / "shared" / "models" / "stories260k"
    if not folder.exists():
        return []
    model = programs.work / "stories"
    programs.run("transformer-import", "--model", folder / "stories260K.bin", "--output", model, "--overwrite")
    return [("stories260k", model, ["", "Once upon a time", "Lily went to the", "The little dog was", "One day, Tom"])]


def trained_model():
    """Model directory and source sentences that the caller of run.sh wants checked as well, or nothing."""
    model, text = os.environ.get("INTEROP_MODEL"), os.environ.get("INTEROP_TEXT")
    if not model or not text:
        return None
    return pathlib.Path(model), pathlib.Path(text).read_text(encoding="utf-8").splitlines()
