#!/usr/bin/env python3
"""An audit of a training: an update of a run, computed again from the checkpoint before it in fp64, gives the checkpoint
after it. Which sentences it had, transformer-inspect --update says.

usage: check_update.py BIN_DIR WORK_DIR
"""
import json
import pathlib
import sys

import torch
import yaml
from safetensors.torch import load_file

sys.path.insert(0, str(pathlib.Path(__file__).parent / "common"))
from exports import END, Programs  # noqa: E402
from plain_transformer import PlainTransformer  # noqa: E402

# A step of Adam takes a gradient by the root of its mean square, so that rounding of the smallest ones shows.
TOLERANCE = 1e-6
STEPS, UPDATES = 12, (2, 5, 12)
MODEL = {"encoder_layers": 2, "decoder_layers": 2, "d_model": 48, "d_ff": 96, "heads": 3, "d_k": 16, "d_v": 16, "dropout": 0}
TRAIN = {"steps": STEPS, "source_tokens": 400, "target_tokens": 400, "bucket_tokens": 150, "warmup": 6, "factor": 0.3,
         "save_every": 1, "keep": STEPS, "eval_every": 100, "epsilon": 1e-6, "samples": 0, "tensorboard": False}


def exported_name(name):
    return name.replace("_residual.norm.", "_norm.")


def loss_of(plain, update, smoothing):
    """The sum over target tokens of the smoothed cross-entropy, divided by their number."""
    loss, tokens = 0, 0
    for example in (example for examples in update["passes"] for example in examples):
        target = example["target"]["ids"]  # begins with the begin token
        logits = plain.logits(torch.tensor(example["source"]["ids"]), torch.tensor(target))
        labels = torch.tensor(target[1:] + [END])
        loss = loss + torch.nn.functional.cross_entropy(logits, labels, label_smoothing=smoothing, reduction="sum")
        tokens += len(labels)
    if tokens != update["target_tokens"]:
        sys.exit(f"update {update['update']}: expected {update['target_tokens']} target tokens, found {tokens}")
    return loss / tokens


def check(programs, run, number, options):
    """→ the largest difference of a weight after the update."""
    update = json.loads(programs.run("transformer-inspect", "--run", run, "--update", str(number), "--json"))
    before, after = (run / "checkpoints" / f"step-{step:08}" for step in (number - 1, number))
    plain = PlainTransformer(programs.export(before, "safetensors"))
    plain.weights = {name: weight.double().requires_grad_() for name, weight in plain.weights.items()}
    loss = loss_of(plain, update, options["label_smoothing"])
    loss.backward()
    kept, weights = load_file(before / "optimizer.safetensors"), load_file(after / "model.safetensors")
    beta1, beta2, worst = options["beta1"], options["beta2"], 0.0
    for name, found in weights.items():
        weight = plain.weights[exported_name(name)]
        gradient = weight.grad
        m = beta1 * kept["m." + name].double() + (1 - beta1) * gradient
        v = beta2 * kept["v." + name].double() + (1 - beta2) * gradient.square()
        step = m / (1 - beta1**number) / ((v / (1 - beta2**number)).sqrt() + options["epsilon"])
        expected = weight.detach() - update["learning_rate"] * step
        worst = max(worst, (found - expected).abs().max().item())
    return worst


def main():
    programs, failed = Programs(*sys.argv[1:3]), False
    programs.prepare()
    config, run = programs.work / "train.yaml", programs.work / "run"
    config.write_text(yaml.safe_dump({"extends": str(programs.work / "prepare-one.yaml"), "model": MODEL, "train": TRAIN}))
    programs.run("transformer-train", "--config", config, "--run", run, "--quiet", "--threads", "1")
    options = yaml.safe_load((run / "config.yaml").read_text())["train"]
    for number in UPDATES:
        difference = check(programs, run, number, options)
        failed |= not difference <= TOLERANCE
        print(f"  update {number:>3}: largest difference of a weight {difference:.1e}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
