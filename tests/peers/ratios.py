#!/usr/bin/env python3
"""Prints how this project's results compare with its peers', from one run's results.jsonl, as a Markdown table."""
import json
import sys

results = [json.loads(line) for line in open(sys.argv[1]) if line.startswith("{")]
ours = [r for r in results if "benchmark" in r and "peer" not in r]
peers = [r for r in results if r.get("peer", "").startswith("pytorch")]
rivals = [r for r in results if "version" in r]


def best(rows, key, **wanted):
    found = [r for r in rows if all(r.get(k) == v for k, v in wanted.items())]
    return max(found, key=lambda r: r[key], default=None)


trained = [r for r in ours if r["benchmark"] == "train" and r["batches_an_update"] == 1]
print("| share of the GEMM peak | |")
print("| --- | --- |")
for r in trained:
    print(f"| train {r['shape']} {r['precision']} | {100 * r['share_of_gemm_peak']:.0f} % |")
print("\nEach precision stands beside the peer's best of the same precision.\n")
print("| what | here | peer | ratio |")
print("| --- | --- | --- | --- |")
for r in trained:
    peer = best(peers, "tokens_per_second", shape=r["shape"], precision=r["precision"])
    if peer:
        name = f"plain PyTorch {peer['precision']}" + (", loss in chunks" if peer["chunk"] else "")
        for what, key, unit in ((f"train {r['shape']} {r['precision']}, target tokens/s ÷ {name}", "tokens_per_second", 1),
                                ("its peak memory, MiB", "peak_memory_bytes", 2**20)):
            print(f"| {what} | {r[key] / unit:.0f} | {peer[key] / unit:.0f} | {r[key] / peer[key]:.2f} |")
for precision in ("fp32", "bf16"):
    one, two = ([r for r in ours if r["benchmark"] == "train" and r["batches_an_update"] > 1
                 and r["precision"] == precision and r["processes"] == count] for count in (1, 2))
    if one and two:
        alone, together = one[0]["tokens_per_second"], two[0]["tokens_per_second"]
        print(f"| train small {precision}, two processes ÷ one | {together:.0f} | {alone:.0f} | "
              f"{together / alone:.2f} |")
for precision, kind in (("fp32", "float32"), ("bf16", "bfloat16"), ("int8", "int8")):
    for one in (False, True):
        mine = best([r for r in ours if r["benchmark"] == "decode" and (r["batch_tokens"] == 1) == one],
                    "sentences_per_second", precision=precision)
        peer = best([r for r in rivals if r["type"].startswith(kind) and (r["batch"] == 1) == one],
                    "sentences_per_second")
        if mine and peer:
            a, b = mine["sentences_per_second"], peer["sentences_per_second"]
            print(f"| decode {precision}, {'one sentence at a time' if one else 'in batches'}, sentences/s ÷ CTranslate2 "
                  f"{peer['version']} | {a:.0f} | {b:.0f} | {a / b:.2f} |")
for r in ours:
    peer = next((p for p in results if p.get("benchmark") == "prepare" and "peer" in p), None)
    if r["benchmark"] == "prepare" and peer:
        a, b = r["megabytes_per_second"], peer["megabytes_per_second"]
        print(f"| encoding, MB/s on {r['threads']} threads ÷ {peer['peer']} on one | {a:.1f} | {b:.1f} | {a / b:.1f} |")
