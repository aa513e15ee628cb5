#!/usr/bin/env bash
# Measures other tools at the work that `./dev bench` has just done, and prints ratios.
#   run.sh PYTHON PREPARED MODEL TEXT RESULTS
# PREPARED: the data set; MODEL: a model directory; RESULTS: a folder with results.jsonl and batches.SHAPE, to which
# the peers' results are added.
set -eu
python=$1 prepared=$2 model=$3 text=$4 results=$5
here=$(dirname "$0")
add() { tee -a "$results/results.jsonl" | sed -u 's/^/  /'; }
for shape in small base; do
  for variant in "fp32" "fp32 --chunk 512" "bf16" "bf16 --chunk 512"; do
    # shellcheck disable=SC2086
    "$python" "$here/pytorch_train.py" "$prepared" "$results/batches.$shape" --shape $shape --precision $variant \
      --seconds "${SECONDS_EACH:-20}" | add
  done
done
rm -rf "$results/ctranslate2"
"$python" "$here/ctranslate2_convert.py" "$model" "$results/ctranslate2" >&2
"$python" "$here/ctranslate2_decode.py" "$results/ctranslate2" "$model/tokenizer.model" "$text" | add
"$python" "$here/spm_encode.py" "$results/results.jsonl" | add
"$python" "$here/ratios.py" "$results/results.jsonl"
