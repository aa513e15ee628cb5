#!/usr/bin/env bash
# Several processes on devices give what one gives: through the host's memory, and by NCCL, whose place fake_nccl.cpp takes.
# usage: several_devices_test.sh SOURCE_DIR LIBRARY-OF-THE-FAKE-DEVICE|cuda LIBRARY-OF-THE-FAKE-NCCL
# With cuda the processes share one GPU.
source "$(dirname "$0")/common.sh"
fake_device=$2 fake_nccl=${3:-}
make_experiment
options=(--quiet --threads 1 --precision fp32 --config experiment.yaml --set train.log_every=1)
if [ "$fake_device" = cuda ]; then
  if ! transformer-train --device cuda --config experiment.yaml --dry-run >/dev/null 2>no-device; then
    says 'not installed\|finds no device' <no-device && echo "skipped: no CUDA device here" && exit 4
    fail "cuda: $(cat no-device)"
    finish
  fi
  device=cuda:0
  on_device() { "$@" --device $device --deterministic; }
else
  device=fake
  on_device() { env LD_PRELOAD="$fake_device" "$@" --device $device; }
fi
by_nccl() { NCCL_MULTI_RANK_GPU_ENABLE=1 TRANSFORMER_NCCL=$fake_nccl on_device "$@"; }

on_device transformer-train "${options[@]}" --run one
on_device transformer-train "${options[@]}" --run host --processes 2 2>host.errors
same_course one host 1e-3
says "exchange tensors through the host's memory, not by NCCL" <host.errors || fail "how they exchange: $(cat host.errors)"
on_device transformer-train "${options[@]}" --run sharded --processes 2 --set distributed.shard_moments=true 2>/dev/null
same host sharded

# Another number of processes goes on.
on_device transformer-train "${options[@]}" --run moving --set train.steps=4
on_device transformer-train "${options[@]}" --run moving --set train.steps=8 --processes 2 --resume 2>/dev/null
on_device transformer-train "${options[@]}" --run moving --resume 2>/dev/null
same_course one moving 1e-3

translate=(transformer-translate --quiet --threads 1 --precision fp32 --model one)
on_whole() { if [ "$fake_device" = cuda ]; then "$@" --device $device; else on_device "$@"; fi; }
on_whole "${translate[@]}" <data/test.en >one.de
on_whole "${translate[@]}" --processes 2 <data/test.en >two.de
cmp one.de two.de || fail "translations of two processes differ: $(diff one.de two.de | head -n 4)"

if [ -n "$fake_nccl" ]; then
  by_nccl transformer-train "${options[@]:1}" --run nccl --processes 2 2>nccl.errors # without --quiet, which is the first
  says '2 devices exchange tensors by NCCL' <nccl.errors || fail "how they exchange: $(cat nccl.errors)"
  same host nccl
  # Gradients by graphs are those that are computed, as --deterministic runs are.
  many=(--set train.steps=80 --set train.eval_every=80 --set train.save_every=80)
  by_nccl transformer-train "${options[@]:1}" "${many[@]}" --run graphs --processes 2 --log-level debug 2>graphs.errors
  says 'graphs of updates' <graphs.errors || fail "no graphs: $(tail graphs.errors)"
  by_nccl transformer-train "${options[@]}" "${many[@]}" --run computed --processes 2 --deterministic 2>/dev/null
  same graphs computed
  by_nccl transformer-train "${options[@]}" --run nccl-sharded --processes 2 --set distributed.shard_moments=true
  same host nccl-sharded
  by_nccl transformer-train "${options[@]}" --run nccl-bf16 --processes 2 --set distributed.gradients=bf16
  by_nccl transformer-train "${options[@]}" --run nccl3 --processes 3
  same_course one nccl3 1e-3

  # One that is killed, or hangs, ends the others, with one message, and nothing is lost. All steps would take minutes.
  long=(--set train.steps=20000 --set train.save_every=5 --set train.eval_every=20000)
  # struck NAME SIGNAL PATTERN  rank 1 of a run gets the signal.
  struck() {
    by_nccl transformer-train "${options[@]}" --run "$folder/$1" --processes 2 "${long[@]}" 2>"$1.errors" &
    program=$!
    victim=$(rank_of "$1" 1)
    until [ -e "$1/checkpoints/step-00000005" ]; do sleep 0.1; done
    kill -"$2" "$victim"
    ended "$1" 1 30 "rank 1 (process $victim$3"
    [ "$(grep -c 'error' "$1.errors")" = 1 ] || fail "$1: expected one message, found: $(cat "$1.errors")"
  }
  struck killed KILL "): was killed by signal 9"
  step=$(readlink killed/checkpoints/last)
  by_nccl transformer-train "${options[@]}" --run killed --resume --processes 2 "${long[@]}" \
    --set train.steps=$((10#${step#step-} + 1)) || fail "a run with a killed rank does not go on"
  struck hanging STOP " on .*): has not been heard of"

  # What is no NCCL is told of, and they exchange through the host.
  NCCL_MULTI_RANK_GPU_ENABLE=1 TRANSFORMER_NCCL=$folder/none on_device transformer-train "${options[@]}" --run none --processes 2 2>none.errors
  says "not by NCCL, which is slow: .*$folder/none" <none.errors || fail "no NCCL: $(cat none.errors)"
  same host none
fi
finish
