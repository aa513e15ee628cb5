#!/usr/bin/env bash
# switches.sh CONFIG TEXT FOLDER [SETTING…]  Trains a small model with each switch of docs/reference/switches.md, on the data of CONFIG:
# 200 updates in one go, and again stopped after 100 and resumed. Translates the first 50 lines of TEXT with it. Prints a table: the
# perplexity of the dev set, whether both trainings ended with the same bits, and who translated. Programs come from PATH or build/bin.
# Runs go to FOLDER, where none of them may be yet. SWITCHES in the environment, an extended regular expression, selects switches.
# Status 1 if anything failed or differed.
set -euo pipefail
[ $# -ge 3 ] || { sed -n '2,6s/^# //p' "$0" >&2 && exit 2; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly root config=$1 text=$2 folder=$3
lines=$(wc -l <"$text")
[ "$lines" -ge 50 ] || { echo "$text: expected at least 50 lines, found $lines" >&2 && exit 2; }
settings=()
for setting in model.layers=2 model.d_model=64 model.d_ff=128 model.heads=4 model.d_k=16 model.d_v=16 model.dropout=0.1 train.steps=200 \
  train.source_tokens=512 train.target_tokens=512 train.bucket_tokens=600 train.micro_tokens=600 train.schedule=noam train.factor=1 train.warmup=100 train.eval_every=200 \
  train.save_every=100 train.metric_every=0 "${@:4}"; do
  settings+=(--set "$setting")
done
PATH=$PATH:$root/build/bin
# What a switch needs beside it.
declare -A needs=([max_positions]=model.positions=learned [relative_distance]=model.positions=relative)

# try SWITCH  prints its line; status 1: something failed or differed.
try() {
  local switch=$1 key value run same=yes by=engine file
  key=${switch#model.} key=${key%%:*} value=${switch#*: }
  run=$folder/$key-$value
  local train=(transformer-train --threads 1 --log-level error --config "$config" "${settings[@]}" --set "model.$key=$value" ${needs[$key]:+--set "${needs[$key]}"})
  for file in "$run" "$run.resumed"; do
    [ ! -e "$file" ] || { echo "$file: expected nothing, found something, which is not replaced" >&2 && return 1; }
  done
  "${train[@]}" --run "$run" && "${train[@]}" --run "$run.resumed" --set train.steps=100 && "${train[@]}" --run "$run.resumed" --resume &&
    head -n 50 "$text" | transformer-translate --threads 1 --model "$run" >"$run/translation" 2>"$run/translation.log" || return 1
  grep -q 'the engine for CPUs does not know' "$run/translation.log" && by=modules
  [ "$(wc -l <"$run/translation")" = 50 ] || return 1
  for file in model.safetensors optimizer.safetensors; do
    cmp -s "$run/checkpoints/step-00000200/$file" "$run.resumed/checkpoints/step-00000200/$file" || same=no
  done
  echo "| \`$switch\` | $(sed -n 's/.*"step":200,"split":"dev".*"perplexity":\([0-9]*\.[0-9]\).*/\1/p' \
    "$run/metrics.jsonl") | $same | $by |"
  [ $same = yes ]
}

mkdir -p "$folder"
status=0
printf '%s\n' '| switch | perplexity | resumed to the bit | translated by |' '| --- | ---: | --- | --- |'
mapfile -t switches < <(sed -n 's/^| `\(model\.[^`]*\)`.*/\1/p' "$root/docs/reference/switches.md" | grep -E "${SWITCHES:-}")
[ ${#switches[@]} -gt 0 ] || { echo "SWITCHES: expected what matches a switch of switches.md, found '$SWITCHES'" >&2 && exit 2; }
for switch in "${switches[@]}"; do
  try "$switch" </dev/null || { echo "| \`$switch\` | failed | | |" && status=1; }
done
exit $status
