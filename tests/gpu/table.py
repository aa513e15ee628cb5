#!/usr/bin/env python3
"""Prints the table of a measurement as Markdown, from measure.sh's results.jsonl: "not run" stands where nothing was
measured, and why, where that is known.

usage: table.py RESULTS.jsonl"""
import json
import sys

results = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8") if line.startswith("{")]
labelled = {r["label"]: r for r in results if "label" in r}
reasons = {r["not_run"]: r["why"] for r in results if "not_run" in r}
NOT_RUN = "not run"


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def head(title, *columns):
    print(f"\n**{title}**\n")
    row(*columns)
    row(*["---"] * len(columns))


def number(value, digits=0):
    return f"{value:,.{digits}f}".replace(",", " ")


def ratio(a, b):
    return f"{a / b:.2f}" if a and b else NOT_RUN


def field(label, key):
    return labelled.get(label, {}).get(key)


def shown(value, scale=1.0, digits=0):
    return number(value * scale, digits) if value else NOT_RUN


machine = next((r["machine"] for r in results if "machine" in r), {})
print("Measured on " + ("; ".join(machine.get("cards", [])) or "no NVIDIA card") +
      f"; {machine.get('cores', '?')} cores of {machine.get('processor', '?')}; PyTorch {machine.get('torch') or '?'}.")

head("The card", "what", "measured")
row("copy, read and written, GB/s", shown(field("copy", "bytes_per_second"), 1e-9))
peaks = {}
for r in results:
    if r.get("benchmark") == "gemm":
        peaks[r["precision"]] = max(peaks.get(r["precision"], 0), r["flops_per_second"])
for precision in ("fp32", "bf16", "fp16"):
    row(f"best product in {precision}, TFLOP/s", shown(peaks.get(precision), 1e-12, 1))

head("Training: updates of 25 000 + 25 000 tokens; the miniature's of 1 024 + 1 024", "model", "target tokens/s", "an update, ms",
     "TFLOP/s", "of the best product", "PyTorch, eager", "ratio", "PyTorch, compiled", "ratio")
for label in ("base bf16", "base fp16", "base tf32", "base fp32", "big bf16", "miniature bf16"):
    speed, peak = field(label, "flops_per_second"), field(label, "gemm_peak_flops_per_second")
    tokens = field(label, "tokens_per_second")
    eager, compiled = (field(f"PyTorch {label}{how}", "tokens_per_second") for how in ("", " compiled"))
    row(label, shown(tokens), shown(field(label, "seconds_per_update"), 1e3, 1), shown(speed, 1e-12),
        f"{100 * speed / peak:.0f} %" if speed and peak else NOT_RUN, shown(eager), ratio(tokens, eager), shown(compiled),
        ratio(tokens, compiled))

head("`base` in bf16, by the length of its sentences", "tokens a sentence", "target tokens/s", "an update, ms")
for length in (12, 24, 48, 96):
    row(length, shown(field(f"length {length}", "tokens_per_second")), shown(field(f"length {length}", "seconds_per_update"), 1e3, 1))

row("mixed, as in a training", shown(field("mixed lengths", "tokens_per_second")),
    shown(field("mixed lengths", "seconds_per_update"), 1e3, 1))

head("What each choice is worth: `base` in bf16", "without", "target tokens/s", "with ÷ without")
for choice in ("next-batch", "recurring-shapes", "short-attention", "own-kernels", "graphs"):
    without = field(f"without {choice}", "tokens_per_second")
    row(choice, shown(without), ratio(field("base bf16", "tokens_per_second"), without))
without = field("miniature without graphs", "tokens_per_second")
row("graphs, of the miniature", shown(without), ratio(field("miniature bf16", "tokens_per_second"), without))

head("Several processes: an update of `base` in bf16 for each", "processes", "target tokens/s", "÷ one process")
for label in (*sorted(label for label in labelled if label.endswith(" GPUs")), "two processes on one GPU"):
    tokens = field(label, "tokens_per_second")
    row(label, shown(tokens), ratio(tokens, field("base bf16", "tokens_per_second")))

head("Translating: `base` in fp16, beam 4, sentences of 24 tokens and outputs as long", "sentences at once", "here, sentences/s",
     "CTranslate2", "ratio")
for count in (1, 64, 512):
    ours, theirs = (field(f"{who} {count}", "sentences_per_second") for who in ("decode", "CTranslate2"))
    row(count, shown(ours, digits=1), shown(theirs, digits=1), ratio(ours, theirs))
row("64 without graphs", shown(field("decode without graphs", "sentences_per_second"), digits=1), "", "")

head("An update of `base` in bf16, by kernels", "kind", "kernels", "ms", "share", "GB", "GB/s", "of the copy's")
kernels = {source: [r for r in results if "kernels" in r and r["source"] == source] for source in ("ncu", "trace")}
source = "ncu" if kernels["ncu"] else "trace"
total = sum(r["seconds"] for r in kernels[source])
copy = field("copy", "bytes_per_second")
for r in kernels[source]:
    rate = r.get("bytes", 0) / r["seconds"] if r["seconds"] else 0
    row(r["kernels"], r["launches"], number(1e3 * r["seconds"], 2), f"{100 * r['seconds'] / total:.0f} %", shown(r.get("bytes"), 1e-9, 2),
        shown(rate, 1e-9), f"{100 * rate / copy:.0f} %" if rate and copy else NOT_RUN)
if not total:
    row("all", *[NOT_RUN] * 6)

head("When the device works, in that update", "what", "ms")
trace = next((r for r in results if "trace" in r), {})
for what, key in (("from its first kernel to its last", "seconds"), ("working", "busy_seconds"),
                  ("between kernels, less than 5 µs each", "short_gaps_seconds"), ("waiting for the host", "long_gaps_seconds"),
                  ("the longest wait", "longest_gap_seconds")):
    row(what, number(1e3 * trace[key], 2) if key in trace else NOT_RUN)

head("Tests", "on the device", "outcome")
tests = [r for r in results if "test" in r]
for r in tests:
    row(r["test"], {0: "passed", 4: "skipped: no device", 124: "ran out of time"}.get(r["status"], f"failed, status {r['status']} (tests.log)"))
if not tests:
    row("all", NOT_RUN)

head("Time", "step", "s", "of", "")
for r in results:
    if "step" in r:
        row(r["step"], r["seconds"], r["limit"], {0: "", 124: "ran out of time", 137: "ran out of time"}.get(r["status"], f"status {r['status']}"))
if reasons:
    print("\nNot run, and why:\n")
    for what, why in reasons.items():
        print(f"* {what}: {why}")
