#!/usr/bin/env python3
"""State_dicts come in by a mapping: PyTorch's own Transformer with random weights, and annalog, a trained model from PyPI.
Logits are equal, and annalog's greedy outputs are those of its own program. Pickles that execute something are refused.

usage: check_mapped.py BIN_DIR WORK_DIR
"""
import math
import os
import pathlib
import random
import subprocess
import sys
import types
import zipfile

import torch
from torch import nn

sys.path.insert(0, str(pathlib.Path(__file__).parent / "common"))
from exports import Programs  # noqa: E402

TOLERANCE = 1e-4  # of the largest logit
MAPPING = pathlib.Path(__file__).parents[2] / "configs" / "import" / "annalog.yaml"
ANNALOG, MOLECULES, LONGEST = "annalog==1.0.6", 200, 102
failures = 0


def check(name, holds, detail=""):
    global failures
    failures += not holds
    print(f"{'ok    ' if holds else 'FAILED'}  {name}{': ' if detail else ''}{detail}", flush=True)


def import_model(programs, model, mapping, output):
    """Exit status and messages."""
    done = subprocess.run([programs.bin / "transformer-import", "--model", model, "--mapping", mapping, "--output", output],
                          capture_output=True, encoding="utf-8", env=os.environ | {"OMP_NUM_THREADS": "1"})
    return done.returncode, done.stderr.strip()


def relative_difference(found, expected):
    return (found - expected).abs().max().item() / expected.abs().max().item()


# --- PyTorch's own Transformer -----------------------------------------------------------------------------------

D, WORDS = 32, 40
TORCH_MAPPING = """
state: model_state_dict
model: {layers: 2, d_model: 32, d_ff: 48, heads: 4, d_k: 8, d_v: 8, norm: pre, attention_bias: true, output_bias: true, tie: none}
tensors:
  - {from: source.weight, to: source_embedding.weight}
  - {from: target.weight, to: target_embedding.weight}
  - {from: generator.weight, to: output.weight}
  - {from: generator.bias, to: output_bias}
  - {from: 'core\\.(.*)\\.self_attn\\.in_proj_(.*)', to: [$1.self_attention.query.$2, $1.self_attention.key.$2, $1.self_attention.value.$2]}
  - {from: 'core\\.(.*)\\.multihead_attn\\.in_proj_(.*)', to: [$1.source_attention.query.$2, $1.source_attention.key.$2, $1.source_attention.value.$2]}
  - {from: 'core\\.(.*)\\.self_attn\\.out_proj\\.(.*)', to: $1.self_attention.output.$2}
  - {from: 'core\\.(.*)\\.multihead_attn\\.out_proj\\.(.*)', to: $1.source_attention.output.$2}
  - {from: 'core\\.(.*)\\.linear1\\.(.*)', to: $1.feed_forward.inner.$2}
  - {from: 'core\\.(.*)\\.linear2\\.(.*)', to: $1.feed_forward.outer.$2}
  - {from: 'core\\.(.*)\\.norm1\\.(.*)', to: $1.self_attention_residual.norm.$2}
  - {from: 'core\\.(encoder.*)\\.norm2\\.(.*)', to: $1.feed_forward_residual.norm.$2}
  - {from: 'core\\.(decoder.*)\\.norm2\\.(.*)', to: $1.source_attention_residual.norm.$2}
  - {from: 'core\\.(decoder.*)\\.norm3\\.(.*)', to: $1.feed_forward_residual.norm.$2}
  - {from: 'core\\.(encoder|decoder)\\.norm\\.(.*)', to: $1.norm.$2}
ignore: [positions]
vocabulary: {file: words.txt, unknown: <unk>, pad: <pad>, begin: <s>, end: </s>}
"""


class TorchModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.source, self.target, self.generator = nn.Embedding(WORDS, D), nn.Embedding(WORDS, D), nn.Linear(D, WORDS)
        self.core = nn.Transformer(D, 4, 2, 2, 48, dropout=0, norm_first=True, batch_first=True)
        angles = torch.arange(100.0)[:, None] * torch.exp(torch.arange(0, D, 2) * (-math.log(10000) / D))
        self.register_buffer("positions", torch.stack([angles.sin(), angles.cos()], -1).flatten(1))

    def forward(self, source, target):
        def embed(table, ids):
            return table(ids) * math.sqrt(D) + self.positions[: ids.shape[1]]
        mask = nn.Transformer.generate_square_subsequent_mask(target.shape[1])
        return self.generator(self.core(embed(self.source, source), embed(self.target, target), tgt_mask=mask))


def check_torch(programs):
    torch.manual_seed(3)
    model = TorchModel().eval()
    words = ["<unk>", "<pad>", "<s>", "</s>"] + [f"w{i}" for i in range(4, WORDS)]  # our numbering
    (programs.work / "words.txt").write_text("".join(word + "\n" for word in words))
    mapping = programs.work / "torch.yaml"
    mapping.write_text(TORCH_MAPPING)
    file = programs.work / "torch.pt"
    torch.save({"model_state_dict": model.state_dict(), "epoch": 3}, file)
    imported = programs.work / "torch"
    status, message = import_model(programs, file, mapping, imported)
    check("nn.Transformer: imported", status == 0, message)
    chance = random.Random(4)
    sources, targets = ([[chance.randrange(4, WORDS) for _ in range(n)] for n in lengths] for lengths in ((1, 5, 20), (4, 1, 30)))
    worst = 0.0
    with torch.no_grad():
        for source, target, logits in zip(sources, targets, programs.logits(imported, sources, targets)):
            expected = model(torch.tensor([source + [3]]), torch.tensor([[2] + target]))[0]
            worst = max(worst, relative_difference(logits, expected))
    check("nn.Transformer: logits", worst < TOLERANCE, f"{worst:.1e} of the largest")
    check_refusals(programs, model, mapping)


class Command:
    """Its pickle executes a command."""

    def __init__(self, command):
        self.command = command

    def __reduce__(self):
        return os.system, (self.command,)


def check_refusals(programs, model, mapping):
    trace = programs.work / "executed"

    def refused(name, content, expected, **options):
        file = programs.work / "refused.pt"
        torch.save(content, file, **options)
        status, message = import_model(programs, file, mapping, programs.work / "refused")
        good = status == 2 and expected in message and len(message.splitlines()) == 1 and not trace.exists()
        check(f"refused: {name}", good, message.split("refused.pt: ")[-1])

    state = model.state_dict()
    refused("a pickle that executes a command", {"model_state_dict": state, "x": Command(f"touch {trace}")}, "would be executed")
    refused("a whole module", model, "would be executed")
    refused("a file of PyTorch before 1.6", {"model_state_dict": state}, "torch.save(torch.load(",
            _use_new_zipfile_serialization=False)
    refused("a tensor too many", {"model_state_dict": state | {"more": torch.ones(2)}}, "'more'")
    refused("a tensor too few", {"model_state_dict": {k: v for k, v in state.items() if k != "generator.bias"}}, "'generator.bias'")
    refused("no such key", state, "'model_state_dict'")


# --- annalog -----------------------------------------------------------------------------------------------------


def fetch(folder):
    """annalog's files, in a folder of their own: no other package is needed."""
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, ANNALOG], check=True)
    wheel, = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder / "annalog" / "ckpt_and_vocab"


def their_program(folder, files):
    """Its generator. What it needs for molecules alone, and not for its network, is replaced by empty modules."""
    for name in "rdkit", "partialsmiles":
        sys.modules[name] = types.ModuleType(name)
    sys.modules["rdkit"].Chem = None
    sys.path.insert(0, str(folder))
    import annalog
    vocabulary = files / "stereo_experiment_vocab_ttf.pkl"
    handler = annalog.SMILESModelHandler(vocabulary, vocabulary, files / "Lev_extended.pt", device="cpu", max_length=LONGEST)
    return annalog.SMILESGenerator(handler)


def molecules(count):
    """Chains of rings and groups, as SMILES."""
    chance = random.Random(5)
    parts = ["C", "CC", "O", "N", "S", "C(=O)N", "C(=O)O", "c1ccccc1", "C1CCNCC1", "c1ccc(F)cc1", "c1ccc(Cl)cc1", "C(C)", "C(F)(F)F",
             "S(=O)(=O)N", "[C@H](C)", "[C@@H](O)", "C#C", "/C=C/", "c1cc[nH]c1", "c1ccncc1", "C(Br)", "N(C)", "C1CC1", "OC"]
    return ["".join(chance.choice(parts) for _ in range(chance.randint(2, 7))) for _ in range(count)]


def check_annalog(programs):
    folder = programs.work / "annalog-package"
    folder.mkdir()
    files = fetch(folder)
    imported = programs.work / "annalog"
    status, message = import_model(programs, files / "Lev_extended.pt", MAPPING, imported)
    check("annalog: imported", status == 0, message)
    theirs = their_program(folder, files)
    field = theirs.SRC
    texts = molecules(MOLECULES)
    tokens = [field.tokenize(text) for text in texts]
    outputs = [theirs.generate_smiles(text, generation_number=1, generation_method="beam")[0][0] for text in texts]
    ours = programs.translate(imported, [" ".join(each) for each in tokens], "--beam", "1", "--alpha", "0",
                              "--length-offset", str(LONGEST))
    same = sum(a.replace(" ", "") == b for a, b in zip(ours, outputs))
    check("annalog: greedy outputs", same == len(texts), f"{same} of {len(texts)} equal")

    # Our ids: unknown, padding, begin and end first. Of a source their begin is an ordinary token behind these.
    names = field.vocab.itos
    special = [names.index(name) for name in ("<unk>", "<pad>", "<sos>", "<eos>")]
    of_target = special + [i for i in range(len(names)) if i not in special]
    of_source = [0, 1, -1, 3] + [i for i in range(len(names)) if i not in (0, 1, 3)]
    sources = [[of_source.index(field.vocab.stoi[t]) for t in ["<sos>", *each]] for each in tokens]
    targets = [[of_target.index(theirs.TRG.vocab.stoi[t]) for t in field.tokenize(text)] for text in outputs]
    worst = 0.0
    with torch.no_grad():
        for each, target, logits in zip(tokens, targets, programs.logits(imported, sources, targets)):
            source = torch.tensor([[field.vocab.stoi[t] for t in ["<sos>", *each, "<eos>"]]])
            begun = torch.tensor([[special[2]] + [of_target[i] for i in target]])
            expected = theirs.model(source, begun)[0][0][:, of_target]
            worst = max(worst, relative_difference(logits, expected))
    check("annalog: logits", worst < TOLERANCE, f"{worst:.1e} of the largest, {len(texts)} molecules")


def main():
    torch.set_num_threads(1)
    programs = Programs(*sys.argv[1:])
    check_torch(programs)
    check_annalog(programs)
    sys.exit(failures > 0)


main()
