#!/usr/bin/env bash
# A data set that another program makes shorter while a training reads it.
source "$(dirname "$0")/common.sh"
make_experiment
train="transformer-train --threads 2 --config experiment.yaml --run run"

$train --set train.steps=1000000 --set train.save_every=20 --set train.eval_every=1000 2>errors &
process=$!
for _ in {1..600}; do
  [ ! -e run/checkpoints/last ] || break
  sleep 0.1
done
[ -e run/checkpoints/last ] || fail "no checkpoint after a minute: $(cat errors)"
cp prepared/train.bin whole.bin
: >prepared/train.bin
status=0
wait $process || status=$?
[ $status = 1 ] || fail "status $status instead of 1: $(tail -n 3 errors)"
[ "$(grep -c '^error: ' errors)" = 1 ] || fail "not one error: $(tail -n 3 errors)"
tail -n 1 errors | says 'prepared/train.bin: was made shorter' || fail "the last words are $(tail -n 1 errors)"
grep -q 'error: .*train.bin: was made shorter' run/log.txt || fail "the log does not say why: $(tail -n 3 run/log.txt)"
[ -z "$(find run -name '*partial*')" ] || fail "left behind: $(find run -name '*partial*')"

cp whole.bin prepared/train.bin
step=$(readlink run/checkpoints/last)
step=$((10#${step#step-} + 3))
$train --resume --set train.steps=$step --set train.save_every=20 2>errors || fail "going on: $(cat errors)"
[ "$(readlink run/checkpoints/last)" = "step-$(printf %08d $step)" ] || fail "the run ends at $(readlink run/checkpoints/last)"
finish
