#!/usr/bin/env bash
# Measures other tools at the work that `./dev bench` has just done, and prints ratios.
#   run.sh PYTHON PREPARED MODEL TEXT RESULTS
# PREPARED: the data set; MODEL: a model directory or a run directory; RESULTS: a folder with results.jsonl and
# batches.SHAPE, to which the peers' results are added. transformer-export is found along PATH.
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
exported=$results/ctranslate2
transformer-export --model "$model" --format ctranslate2 --sample "$text" --output "$exported" --overwrite >&2
tokenizer=$exported/tokenizer.model
[ -e "$tokenizer" ] || tokenizer=$exported/tokenizer.source.model # of two, the sources'
"$python" "$here/ctranslate2_decode.py" "$exported" "$tokenizer" "$text" | add
"$python" "$here/spm_encode.py" "$results/results.jsonl" | add
"$python" "$here/ratios.py" "$results/results.jsonl"
