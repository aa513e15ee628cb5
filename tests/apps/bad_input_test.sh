#!/usr/bin/env bash
# What the programs refuse: status 2, one line that names the place, and nothing left behind.
source "$(dirname "$0")/common.sh"
make_experiment
transformer-train --quiet --threads 1 --config experiment.yaml --run run --set train.steps=4

# refused PATTERN COMMAND…
refused() {
  local pattern=$1 status=0
  shift
  "$@" >output 2>error </dev/null || status=$?
  [ "$status" = 2 ] || fail "status $status instead of 2: $*"
  [ "$(wc -l <error)" = 1 ] || fail "$(wc -l <error) lines instead of one: $*: $(cat error)"
  grep -q -- "$pattern" error || fail "no '$pattern' in the message of: $*: $(cat error)"
  [ ! -s output ] || fail "output in spite of an error: $*"
}

variant() { { cat experiment.yaml && echo "$1"; } >variant.yaml; }

refused "nosuch.yaml" transformer-train --config nosuch.yaml --run new
refused "nosuch" transformer-train --config experiment.yaml --run new --nosuch
refused "heads" transformer-inspect --config experiment.yaml --set model.headz=3
refused "whole number" transformer-inspect --config experiment.yaml --set model.heads=many
variant "decode: {beam: 4"
refused "variant.yaml:" transformer-inspect --config variant.yaml
variant "extends: variant.yaml"
refused "variant.yaml" transformer-inspect --config variant.yaml
refused "run transformer-prepare" transformer-train --config experiment.yaml --run new --set data.prepared=nothing
refused "resume" transformer-train --config experiment.yaml --run run
refused "model.dropout" transformer-train --config experiment.yaml --run run --resume --set model.dropout=0.5
refused "last 9" transformer-average --run run --last 9 --output new
refused "run" transformer-average --run run --last 1 --output run
refused "nothing" transformer-translate --model nothing
refused "nbest" transformer-translate --model run --nbest 9
refused "nosuch" transformer-evaluate --hypothesis nosuch --reference data/test.de
refused "60" transformer-evaluate --hypothesis data/dev.de --reference data/test.de
refused "hypothesis" transformer-evaluate

printf 'good\nbad \xff\n' >latin.txt
refused "latin.txt:2" transformer-evaluate --hypothesis latin.txt --reference latin.txt
cp data/train.en short.en && head -n 10 data/train.de >short.de
refused "short" transformer-prepare --quiet --config experiment.yaml --set data.train=short --set data.prepared=new
refused "vocabulary" transformer-prepare --quiet --config experiment.yaml --set data.vocabulary=900000 --set data.prepared=new

cp -r run/checkpoints/last/ damaged
printf 'x' | dd of=damaged/model.safetensors bs=1 seek=5000 conv=notrunc status=none
refused "damaged/model.safetensors" transformer-translate --model damaged
[ ! -e new ] || fail "a refused command left something behind"
finish
