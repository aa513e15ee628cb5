#!/usr/bin/env python3
"""Prints what scaling.sh measured beside what transformer-inspect predicts of it, as a Markdown table.

usage: scaling_table.py CONFIG ROWS
ROWS has a line for each training: its name, the network's GB/s and microseconds (or nothing), transformer-bench's result.
"""
import json
import os
import subprocess
import sys

MODELS = {  # transformer-bench's shapes, and the target tokens of a batch
    "small": (["layers=3", "d_model=256", "d_ff=1024", "heads=4", "d_k=64", "d_v=64"], 4096),
    "base": ([], 2048),
    "big": (["d_model=1024", "d_ff=4096", "heads=16", "dropout=0.3"], 1024),
}
MICRO = 1.1  # how far a micro-batch may exceed a batch


def sentence_tokens(config):
    """Of a sentence of the training set, the mean of both languages."""
    summary = subprocess.run(["transformer-prepare", "--config", config], stdout=subprocess.PIPE, encoding="utf-8", check=True)
    words = next(line for line in summary.stdout.splitlines() if line.startswith("train ")).split()
    pairs, source, target = int(words[1]), int(words[3]), int(words[words.index("target") - 1])
    return (source + target) / 2 / pairs


def predict(config, tokens, peak, speed):
    """Of an update by two devices. One device is one core: half of the machine's memory bandwidth is its own."""
    model, batch = MODELS[os.environ["SHAPE"]]
    sets = [f"model.{setting}" for setting in model] + [
        f"train.source_tokens={tokens}", f"train.target_tokens={tokens}", f"train.micro_tokens={round(batch * MICRO)}"]
    result = subprocess.run(
        ["transformer-inspect", "--config", config, "--json", "--precision", os.environ["PRECISION"], "--sentence-tokens",
         f"{sentence_tokens(config):.1f}", "--device-peak", f"{peak / 1e12:.4f}", "--memory-bandwidth",
         f"{float(os.environ['MEMORY_BANDWIDTH']) / 2}", "--devices", "1,2", "--network-bandwidth", speed[0],
         "--network-latency", speed[1], *(word for setting in sets for word in ("--set", setting))],
        stdout=subprocess.PIPE, encoding="utf-8", check=True)
    return json.loads(result.stdout)["scaling"]


def main():
    config, rows = sys.argv[1:3]
    table = []
    for line in open(rows):
        name, speed, result = line.rstrip("\n").split("\t")
        table.append((name, speed.split(), json.loads(result)))
    tokens = int(os.environ["ACCUMULATE"]) * MODELS[os.environ["SHAPE"]][1]
    alone = table[0][2]["tokens_per_second"]
    # Both processes measure at once: neither has more of the machine than in the training.
    peak = table[1][2]["gemm_peak_flops_per_second"] / 2
    print(f"{os.environ['SHAPE']}, {os.environ['PRECISION']}, updates of {tokens} target tokens; a core's peak "
          f"{peak / 1e9:.0f} GFLOP/s\n")
    print("| processes | network, GB/s | latency, µs | target tokens/s | p10 – p90 | speed-up | predicted | exchange, % | "
          "predicted, % |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, speed, result in table:
        predicted, share = "", ""
        if speed:
            two = predict(config, tokens, peak, speed)[1]
            predicted = f"{two['speed_up']:.2f}"
            share = f"{100 * two['exposed_seconds'] / two['predicted_seconds']:.1f}"
        print(f"| {name} | {speed[0] if speed else ''} | {speed[1] if speed else ''} | {result['tokens_per_second']:.0f} | "
              f"{result['tokens_per_second_p10']:.0f} – {result['tokens_per_second_p90']:.0f} | "
              f"{result['tokens_per_second'] / alone:.2f} | {predicted} | {100 * result['phases'].get('exchange', 0):.1f} | "
              f"{share} |")


main()
