#!/usr/bin/env bash
# kernels.py adds up what profilers wrote, and table.py shows what was measured, as counted by hand here. The build makes what
# pack.sh packs.
#   results_test.sh FOLDER-OF-THE-SCRIPTS FOLDER-OF-PROGRAMS
set -euo pipefail
scripts=$(cd "$1" && pwd)
set -- "$1" "$(cd "$2" && pwd)"
command -v python3 >/dev/null || { echo "skipped: no python3 here" && exit 4; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() {
  echo "FAILED: $*" >&2
  exit 1
}
eval "$(grep -E '^(programs|tests)=' "$scripts/pack.sh")"
for name in "${programs[@]}" "${tests[@]}"; do
  { [ -x "$2/$name" ] && [ ! -L "$2/$name" ]; } || fail "pack.sh: $name is no program that the build makes"
done
has() { grep -qF -- "$1" "$2" || fail "no '$1' in $(cat "$2")"; }

# The device works for 27 of 45 µs, since the second copy runs beside the product. Gaps: 2 µs and 16.
cat >trace.json <<'JSON'
{"traceEvents": [
  {"ph": "X", "cat": "kernel", "name": "sm90_xmma_gemm_bf16", "ts": 100, "dur": 10},
  {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD", "ts": 104, "dur": 8},
  {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 0, "dur": 900},
  {"ph": "X", "cat": "kernel", "name": "void vectorized_layer_norm_kernel<float>", "ts": 114, "dur": 10},
  {"ph": "X", "cat": "kernel", "name": "mystery", "ts": 140, "dur": 5},
  {"ph": "i", "cat": "kernel", "name": "sm90_xmma_gemm_bf16", "ts": 141}]}
JSON
python3 "$scripts/kernels.py" trace trace.json >trace.jsonl
python3 - <<'PYTHON' || fail "the trace: $(cat trace.jsonl)"
import json
lines = [json.loads(line) for line in open("trace.jsonl")]
update = lines[0]
near = lambda a, b: abs(a - b) < 1e-9
assert update["launches"] == 4 and near(update["seconds"], 45e-6) and near(update["busy_seconds"], 27e-6)
assert near(update["short_gaps_seconds"], 2e-6) and near(update["long_gaps_seconds"], 16e-6)
kinds = {line["kernels"]: line["seconds"] for line in lines if "kernels" in line}
assert kinds.keys() == {"products", "copies", "norms", "other"} and near(kinds["copies"], 8e-6)
PYTHON

cat >kernels.csv <<'CSV'
==PROF== Connected to process 1
"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"
"0","fmha_cutlassF_bf16","gpu__time_duration.sum","usecond","1,250.5"
"0","fmha_cutlassF_bf16","dram__bytes_read.sum","Mbyte","3"
"0","fmha_cutlassF_bf16","dram__bytes_write.sum","Kbyte","500"
"1","ampere_bf16_s16816gemm","gpu__time_duration.sum","nsecond","749500"
"1","ampere_bf16_s16816gemm","dram__bytes_read.sum","byte","0"
CSV
python3 "$scripts/kernels.py" ncu kernels.csv >ncu.jsonl
python3 - <<'PYTHON' || fail "ncu: $(cat ncu.jsonl)"
import json
kinds = {line["kernels"]: line for line in map(json.loads, open("ncu.jsonl")) if "kernels" in line}
attention, products = kinds["attention"], kinds["products"]
assert attention["launches"] == products["launches"] == 1 and len(kinds) == 2
assert abs(attention["seconds"] - 1250.5e-6) < 1e-12 and attention["bytes"] == 3.5e6
assert abs(products["seconds"] - 749.5e-6) < 1e-12
PYTHON

{
  echo '{"machine": {"cards": ["A card, 1"], "cores": 16, "processor": "P", "torch": "2.11"}}'
  echo '{"label": "copy", "benchmark": "copy", "bytes_per_second": 4e12}'
  echo '{"label": "base bf16", "tokens_per_second": 600000, "seconds_per_update": 0.0417, "flops_per_second": 2e14, "gemm_peak_flops_per_second": 8e14}'
  echo '{"label": "PyTorch base bf16", "tokens_per_second": 300000}'
  echo '{"label": "without next-batch", "tokens_per_second": 500000}'
  echo '{"not_run": "several GPUs", "why": "one card"}'
  echo '{"label": "8 GPUs", "tokens_per_second": 4200000}'
  echo '{"test": "options", "status": 1}'
  echo '{"step": "train", "seconds": 95, "limit": 95, "status": 124}'
  cat ncu.jsonl
} >results.jsonl
python3 "$scripts/table.py" results.jsonl >table.md
has 'Measured on A card, 1; 16 cores' table.md
has '| base bf16 | 600 000 | 41.7 | 200 | 25 % | 300 000 | 2.00 | not run | not run |' table.md
has '| next-batch | 500 000 | 1.20 |' table.md
has '| big bf16 | not run |' table.md
has '| 8 GPUs | 4 200 000 | 7.00 |' table.md
has '| two processes on one GPU | not run | not run |' table.md
has '| attention | 1 | 1.25 | 63 % | 0.00 | 3 | 0 % |' table.md
has '| options | failed, status 1 (tests.log) |' table.md
has '| train | 95 | 95 | ran out of time |' table.md
has '* several GPUs: one card' table.md

status=0
bash "$scripts/measure.sh" nowhere.tar.xz out 2>errors || status=$?
[ "$status" = 2 ] && [ "$(wc -l <errors)" = 1 ] && [ ! -e out ] || fail "an archive that is not there: $status $(cat errors)"
has 'nowhere.tar.xz: expected the archive that tests/gpu/pack.sh makes, found none' errors
echo "all checks passed"
