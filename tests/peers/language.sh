#!/usr/bin/env bash
# How fast language models train here and in plain PyTorch, on one text, in one sitting: target tokens a second.
#
#     language.sh TEXT FOLDER [SECONDS]
#
# TEXT: a plain text of a megabyte or more. FOLDER: where the data and the runs go. Two settings: nanoGPT's for CPUs, of
# characters and without dropout; and pieces, a vocabulary of 8 000, with dropout 0.1. Needs transformer-prepare and
# transformer-train in PATH, and PYTHON with PyTorch (.deps/interop/bin/python).
set -euo pipefail
text=$(realpath "$1") folder=$2 seconds=${3:-30}
python=${PYTHON:-python3} here=$(realpath "$(dirname "$0")") root=$(realpath "$(dirname "$0")/../..")
threads=${THREADS:-2}
mkdir -p "$folder"
cd "$folder"
[ -d data ] || "$root/tools/split_text.sh" "$text" data >/dev/null

# setting NAME LAYERS WIDTH HEADS INNER BLOCK ROWS DROPOUT KIND VOCABULARY
setting() {
  local name=$1 layers=$2 width=$3 heads=$4 inner=$5 block=$6 rows=$7 dropout=$8 kind=$9 vocabulary=${10} precision ours theirs
  cat >"$name.yaml" <<YAML
extends: $root/configs/language/shakespeare.yaml
data: {train: data/train.txt, dev: data/dev.txt, prepared: $name, tokenizer_kind: $kind, vocabulary: $vocabulary, block: $block}
model: {layers: $layers, d_model: $width, heads: $heads, d_k: $((width / heads)), d_v: $((width / heads)), d_ff: $inner,
  max_positions: $block, dropout: $dropout}
train: {sentences: $rows, source_tokens: 1000000, target_tokens: 1000000, eval_every: 1000000, save_every: 1000000,
  log_every: 20, samples: 0, tensorboard: false, steps: 1000000}
YAML
  [ -d "$name" ] || transformer-prepare --config "$name.yaml" --quiet
  for precision in fp32 bf16; do
    ours=$(measure "$name" "$precision")
    theirs=$("$python" "$here/pytorch_language.py" "$name" --layers "$layers" --width "$width" --heads "$heads" --inner "$inner" \
      --block "$block" --rows "$rows" --dropout "$dropout" --precision "$precision" --seconds "$seconds" --threads "$threads")
    "$python" - "$name" "$precision" "$ours" "$theirs" <<'PY'
import json, sys
name, precision, ours, theirs = sys.argv[1:]
theirs = json.loads(theirs)["tokens_per_second"]
print(f"{name} {precision}: {float(ours):.0f} tokens/s, plain PyTorch {theirs:.0f}: {float(ours) / theirs:.2f}", flush=True)
PY
  done
}

# measure NAME PRECISION  The median over windows of 20 updates, without the first ones.
measure() {
  local run=run-$1-$2-$$
  timeout -s INT "$((seconds + 10))" transformer-train --config "$1.yaml" --run "$run" --precision "$2" --threads "$threads" --quiet \
    2>/dev/null || true
  "$python" - "$run/metrics.jsonl" <<'PY'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
speeds = sorted(line["tokens_per_second"] for line in lines[2:] if line["split"] == "train")
print(speeds[len(speeds) // 2])
PY
}

setting characters 4 128 4 512 64 12 0 characters 1000
setting pieces 4 256 4 1024 128 16 0.1 bpe 8000
