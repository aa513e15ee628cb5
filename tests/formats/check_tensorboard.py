#!/usr/bin/env python3
"""The reader of TensorBoard's server finds in a run's event files what its metrics.jsonl and samples.jsonl say, each point once, also after
the run was stopped and resumed, and as a TensorBoard that was open all the time.

usage: check_tensorboard.py BIN_DIR WORK_DIR
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

from tensorboard.backend.event_processing.plugin_event_accumulator import EventAccumulator
from tensorboard.util import tensor_util

EXPERIMENT = """
data: {source: en, target: de, train: corpus/train, dev: corpus/dev, vocabulary: 900, prepared: prepared}
model: {layers: 1, d_model: 32, d_ff: 64, heads: 2, d_k: 16, d_v: 16}
train: {steps: 60, source_tokens: 400, target_tokens: 400, micro_tokens: 300, warmup: 10, eval_every: 10, save_every: 20,
        log_every: 5, keep: 5, bleu_every: 20, samples: 3}
decode: {length_offset: 3}
"""
NO_SCALARS = {"step", "split", "seconds", "time"}
OF_TRAINING = {"learning_rate", "flops", "epoch", "target_tokens", "skipped"}


def run(folder, work, program, *arguments):
    result = subprocess.run([folder / program, *arguments], cwd=work, stdin=subprocess.DEVNULL, capture_output=True,
                            encoding="utf-8", env=os.environ | {"OMP_NUM_THREADS": "1"})
    if result.returncode != 0:
        raise SystemExit(f"{program} {' '.join(map(str, arguments))}: {result.stderr}")


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def scalars_wanted(run_folder, split):
    """{tag: [(step, time, value)]}"""
    wanted = {}
    for line in lines_of(run_folder / "metrics.jsonl"):
        if line["split"] != split:
            continue
        for key in set(line) - NO_SCALARS - (OF_TRAINING if split == "dev" else set()):
            wanted.setdefault(key, []).append((line["step"], line["time"], line[key]))
    return wanted


def texts_wanted(run_folder):
    """{tag: [(step, text)]}"""
    wanted = {}
    for line in lines_of(run_folder / "samples.jsonl"):
        text = "".join(f"    {key:<13}{line[key]}\n" for key in ("source", "reference", "translation"))
        wanted.setdefault(f"samples/{line['sentence']}", []).append((line["step"], text))
    return wanted


def close(left, right):
    return abs(left - right) <= 1e-6 * max(abs(left), abs(right))  # TensorBoard's numbers are of 32 bits


def value_of(event):
    return tensor_util.make_ndarray(event.tensor_proto).item()


def check(run_folder, readers, when):
    passed, points = True, 0
    for split in "train", "dev":
        reader = readers[split].Reload()
        wanted = scalars_wanted(run_folder, split)
        tags = set(reader.PluginTagToContent("scalars"))
        passed &= tags == set(wanted)
        for tag in tags:
            found = [(event.step, event.wall_time, value_of(event)) for event in reader.Tensors(tag)]
            points += len(found)
            passed &= len(found) == len(wanted.get(tag, ()))
            passed &= all(a[:2] == b[:2] and close(a[2], b[2]) for a, b in zip(found, wanted.get(tag, ())))
    reader = readers["dev"]
    texts = {tag: [(event.step, value_of(event).decode()) for event in reader.Tensors(tag)]
             for tag in reader.PluginTagToContent("text")}
    passed &= texts == texts_wanted(run_folder) and len(texts) == 3
    print(f"  {when:<28} {points} points, {sum(map(len, texts.values()))} texts{'' if passed else ': FAILED'}")
    return passed


def open_readers(run_folder):
    everything = {"tensors": 0}
    return {split: EventAccumulator(str(run_folder / "tensorboard" / split), everything) for split in ("train", "dev")}


def main():
    folder, work = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    work.joinpath("experiment.yaml").write_text(EXPERIMENT)
    run(folder, work, "transformer-demo-corpus", "--output", "corpus", "--train", "1500", "--dev", "50", "--test", "50")
    run(folder, work, "transformer-prepare", "--quiet", "--config", "experiment.yaml")

    def train(*arguments):
        run(folder, work, "transformer-train", "--quiet", "--config", "experiment.yaml", "--run", "run", *arguments)

    here = work / "run"
    train("--set", "train.steps=45")
    readers = open_readers(here)
    passed = check(here, readers, "45 updates")
    # The newest checkpoint is lost: five updates and an evaluation are made again.
    shutil.rmtree(here / "checkpoints" / "step-00000045")
    train("--resume")
    passed &= check(here, open_readers(here), "resumed after 40")
    passed &= check(here, readers, "the same, read all the time")
    # A record that a crash cut off ends the file.
    file = max((here / "tensorboard" / "train").iterdir())
    file.write_bytes(file.read_bytes()[:-7])
    reader = open_readers(here)["train"].Reload()
    steps = [event.step for event in reader.Tensors("loss")]
    passed &= steps == list(range(5, 60, 5))
    print(f"  {'a last record that is cut off':<28} {len(steps)} points before it")
    return not passed


sys.exit(main())
