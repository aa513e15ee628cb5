#!/usr/bin/env python3
"""Adds up an update's kernels by what they compute.

usage: kernels.py ncu FILE.csv     what `ncu --csv` wrote of transformer-bench train --mark-update: time and bytes
       kernels.py trace FILE.json  what transformer-bench train --trace wrote: time, and when the device had nothing to do
Prints JSON objects, one a line. Seconds and bytes; a kernel that no pattern knows is "other", by name."""
import csv
import json
import re
import sys
from collections import defaultdict

# The first that fits counts.
KINDS = [
    ("attention", r"fmha|flash|attention"),
    ("products", r"gemm|gemv|cutlass|nvjet|xmma|cublas|splitK"),
    ("softmax and loss", r"softmax|nll_loss|logsumexp|gather|scatter"),
    ("norms", r"layer_?norm|LayerNorm|GammaBeta|rms_?norm"),
    ("dropout", r"dropout|bernoulli|philox"),
    ("optimiser", r"adam|multi_tensor|lpnorm|foreach|Foreach"),
    ("embeddings", r"embedding|index|krn_partial|compute_grad_weight|sort|Sort"),
    ("sums", r"reduce"),
    ("copies", r"copy|memcpy|Memcpy|memset|Memset|CatArray|fill|Fill"),
    ("additions, ReLU and the like", r"elementwise|vectorized"),
]
UNITS = {"nsecond": 1e-9, "usecond": 1e-6, "msecond": 1e-3, "second": 1, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1,
         "byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9}


def kind_of(name):
    return next((kind for kind, pattern in KINDS if re.search(pattern, name)), "other")


class Sums:
    def __init__(self, source):
        self.source, self.kinds, self.names = source, defaultdict(lambda: [0, 0.0, 0.0]), defaultdict(float)

    def add(self, name, launches, seconds, size):
        for i, amount in enumerate((launches, seconds, size)):
            self.kinds[kind_of(name)][i] += amount
        self.names[name] += seconds

    def show(self):
        for kind, (launches, seconds, size) in sorted(self.kinds.items(), key=lambda item: -item[1][1]):
            line = {"kernels": kind, "source": self.source, "launches": launches, "seconds": seconds}
            print(json.dumps(line | ({"bytes": size} if self.source == "ncu" else {})))
        for name, seconds in sorted(self.names.items(), key=lambda item: -item[1])[:12]:
            print(json.dumps({"kernel": name[:160], "kind": kind_of(name), "source": self.source, "seconds": seconds}))


def read_ncu(path):
    lines = [line for line in open(path, encoding="utf-8", errors="replace") if not line.startswith("==")]
    sums = Sums("ncu")
    for row in csv.DictReader(lines):
        name, metric = row["Kernel Name"], row["Metric Name"]
        value = float(row["Metric Value"].replace(",", "")) * UNITS[row["Metric Unit"]]
        timed = metric == "gpu__time_duration.sum"
        sums.add(name, int(timed), value if timed else 0.0, 0.0 if timed else value)
    return sums


def read_trace(path):
    """Also prints how long the device worked between its first and its last kernel, and why it waited: a gap of less
    than 5 µs is the launch's own, a longer one the host's."""
    events = json.load(open(path, encoding="utf-8"))["traceEvents"]
    work = sorted((e["ts"] / 1e6, (e["ts"] + e["dur"]) / 1e6, e["name"]) for e in events
                  if e.get("ph") == "X" and e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"))
    sums = Sums("trace")
    if not work:
        print(json.dumps({"not_run": "gaps between kernels", "why": "the trace has no kernels"}))
        return sums
    busy, end, gaps = 0.0, work[0][0], []
    for begin, finish, name in work:
        sums.add(name, 1, finish - begin, 0.0)
        if begin > end:
            gaps.append(begin - end)
        busy += max(0.0, finish - max(begin, end))
        end = max(end, finish)
    print(json.dumps({"trace": "update", "launches": len(work), "seconds": end - work[0][0], "busy_seconds": busy,
                      "short_gaps_seconds": sum(g for g in gaps if g < 5e-6),
                      "long_gaps_seconds": sum(g for g in gaps if g >= 5e-6), "longest_gap_seconds": max(gaps, default=0.0)}))
    return sums


{"ncu": read_ncu, "trace": read_trace}[sys.argv[1]](sys.argv[2]).show()
