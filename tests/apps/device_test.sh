#!/usr/bin/env bash
# Every program that takes --device computes on a device that is not the CPU what it computes on the CPU. The device is
# tests/fake_device, which refuses what a GPU would (nothing here shows how fast one is), or, with `cuda`, a real one. Own
# kernels give dropout the CPU's masks there.
# usage: device_test.sh SOURCE_DIR LIBRARY-OF-THE-FAKE-DEVICE|cuda
source "$(dirname "$0")/common.sh"
fake_device=$2
make_experiment
if [ "$fake_device" = cuda ]; then
  if ! transformer-train --device cuda --config experiment.yaml --dry-run >/dev/null 2>no-device; then
    says 'not installed\|finds no device' <no-device && echo "skipped: no CUDA device here" && exit 4
    fail "cuda: $(cat no-device)"
    finish
  fi
fi

# on_device COMMAND…: there, and in fp32 unless it says otherwise; what the fake one did is in the file `did`.
on_device() {
  if [ "$fake_device" != cuda ]; then
    env LD_PRELOAD="$fake_device" FAKE_DEVICE_REPORT="$folder/did" "$@" --device fake
  elif [[ " $* " = *" --precision "* ]]; then
    "$@" --device cuda
  else
    "$@" --device cuda --precision fp32
  fi
}
# worked NAME: the last command on_device launched operations there.
worked() { [ "$fake_device" = cuda ] || grep -q '^launches [1-9][0-9]' did || fail "$1: nothing was computed on the device"; }
# losses FILE: of both splits, as far as they are to agree.
losses() { sed -n 's/.*"step":\([0-9]*\),"split":"\([a-z]*\)","loss":\([0-9.]*\).*/\1 \2 \3/p' "$1"; }
# alike NAME A B SHARE: files of lines that are equal, but for the third word, a number that differs by less than a share.
alike() {
  paste -d ' ' "$2" "$3" | awk -v s="$4" 'NF != 6 || $1 != $4 || $2 != $5 || ($3 - $6) ^ 2 > ($6 * s) ^ 2 { exit 1 }' &&
    [ -s "$2" ] || fail "$1: $(paste "$2" "$3")"
}

transformer-train --quiet --threads 1 --device cpu --config experiment.yaml --run here
on_device transformer-train --quiet --threads 1 --config experiment.yaml --run there --set train.steps=5
worked train
on_device transformer-train --quiet --threads 1 --config experiment.yaml --run there --resume
worked "train --resume"
losses here/metrics.jsonl | grep -v '^6 train' >here.losses # a line of the log covers what one process has done
losses there/metrics.jsonl | grep -v '^6 train\|^5 ' >there.losses
alike "losses" here.losses there.losses 0.001

for side in here there fp16; do
  precision=bf16
  [ $side = here ] && run=(transformer-train --device cpu) || run=(on_device transformer-train)
  [ $side = fp16 ] && precision=fp16
  "${run[@]}" --quiet --threads 1 --precision $precision --config experiment.yaml --run $side.16 --set train.steps=8 2>/dev/null
  losses $side.16/metrics.jsonl >$side.16.losses
done
alike "losses in bf16" here.16.losses there.16.losses 0.02
alike "losses in fp16" here.16.losses fp16.16.losses 0.02
grep -q '"loss_scale":65536.0,"overflows":0' fp16.16/metrics.jsonl || fail "the loss scale: $(cat fp16.16/metrics.jsonl)"
! grep -q loss_scale there.16/metrics.jsonl || fail "a loss scale in bf16"
on_device transformer-train --quiet --threads 1 --config experiment.yaml --dry-run >/dev/null || fail "a dry run"

transformer-translate --quiet --threads 1 --model here --device cpu --nbest 2 <data/test.en >here.de
on_device transformer-translate --quiet --threads 1 --model here --nbest 2 <data/test.en >there.de
worked translate
[ "$(cut -d' ' -f1-2 here.de)" = "$(cut -d' ' -f1-2 there.de)" ] || fail "as many translations"
differing=$(cmp -l <(sed 's/ ||| [^|]*$//' here.de) <(sed 's/ ||| [^|]*$//' there.de) | wc -l)
[ "$differing" = 0 ] || fail "translations differ: $(diff here.de there.de | head)"

for precision in bf16 fp16; do
  on_device transformer-translate --quiet --threads 1 --precision $precision --model here <data/test.en >there.16.de
  [ "$(wc -l <there.16.de)" = 60 ] || fail "a translation of each line in $precision"
done

transformer-score --quiet --threads 1 --model here --device cpu --source data/test.en --target data/test.de >here.scores
on_device transformer-score --quiet --threads 1 --model here --source data/test.en --target data/test.de >there.scores
worked score
paste here.scores there.scores | awk '($1 - $3) ^ 2 > 1e-6 { exit 1 }' || fail "scores: $(paste here.scores there.scores)"

on_device transformer-score --quiet --threads 1 --precision fp16 --model here --source data/test.en --target data/test.de >fp16.scores
paste here.scores fp16.scores | awk '($1 - $3) ^ 2 > ($1 * 0.01) ^ 2 { exit 1 }' || fail "scores in fp16: $(paste here.scores fp16.scores)"

transformer-evaluate --model here --data dev --device cpu >here.loss
on_device transformer-evaluate --model here --data dev >there.loss
worked evaluate
[ "$(grep -o '^perplexity *[0-9]*\.[0-9][0-9]' here.loss)" = "$(grep -o '^perplexity *[0-9]*\.[0-9][0-9]' there.loss)" ] ||
  fail "perplexity: $(cat here.loss there.loss)"
on_device transformer-evaluate --threads 1 --precision fp16 --model here --data dev | says 'precision:fp16' || fail "a perplexity in fp16"

sweep="transformer-sweep --quiet --threads 1 --run here --average 1,2 --beam 1,2 --alpha 0,0.6"
$sweep --device cpu --output here.sweep >/dev/null
on_device $sweep --output there.sweep >/dev/null
worked sweep
scores() { grep -o '"bleu":[^,}]*\|"signature":"[^"]*"' "$1"; }
[ -s here.sweep ] && [ "$(scores here.sweep)" = "$(scores there.sweep)" ] || fail "sweep: $(cat here.sweep there.sweep)"

on_device transformer-export --quiet --model here --format torchscript --output there.pt >/dev/null || fail "export"
worked export
on_device transformer-bench train --quiet --config experiment.yaml --tokens 100 --seconds 0.1 >/dev/null || fail "bench train"
worked "bench train"
on_device transformer-bench decode --quiet --model here --text data/test.en --repetitions 1 >/dev/null || fail "bench decode"
worked "bench decode"
on_device transformer-bench copy --quiet --size 1 >/dev/null || fail "bench copy" # timed by the device's own events
worked "bench copy"

cat >list.yaml <<YAML
title: A study
base: experiment.yaml
output: out
experiments: [{name: base}]
YAML
on_device transformer-experiments list.yaml --quiet --threads 1 >table || fail "table3: $(cat table)"
grep -q '^1 runs finished, 0 failed' table || fail "table3: $(cat table)"

if [ "$fake_device" = cuda ]; then # whose memory is larger than an update's, and is not ours to set
  finish
  exit
fi

# train.micro_tokens: auto. The trial starts with 500 for an update of 400 tokens, since so small a text has
# much padding. The memory is exactly what 500 need, so it is too little with a tenth of it in reserve.
sed 's/bucket_tokens: 300, micro_tokens: 300/micro_tokens: auto/' experiment.yaml >auto.yaml
auto=(transformer-train --quiet --threads 1 --config auto.yaml)
dry_run() { on_device "${auto[@]}" --dry-run --json "$@" | grep -o "\"$name\":[0-9]*" | cut -d: -f2; }
memory=$(name=peak_memory_bytes dry_run --set train.micro_tokens=500)
short_of_memory() { FAKE_DEVICE_MEMORY=$memory "$@"; }
number() { sed -n 's/^ *micro_tokens: //p' "$1/config.yaml"; }
[ "$(name=micro_tokens short_of_memory dry_run)" = 250 ] || fail "a dry run finds $(name=micro_tokens short_of_memory dry_run)"
short_of_memory on_device "${auto[@]}" --run found --set train.steps=5
[ "$(number found)" = 250 ] || fail "train.micro_tokens: auto finds $(number found)"
grep -q 'train.micro_tokens: 250 fits, an update of ' found/log.txt || fail "no word of it in $(cat found/log.txt)"
on_device "${auto[@]}" --run found --resume
on_device "${auto[@]}" --run given --set train.micro_tokens=250
for file in config.yaml model.safetensors optimizer.safetensors; do
  cmp found/checkpoints/last/$file given/checkpoints/last/$file || fail "$file differs where train.micro_tokens was found"
done
status=0
memory=500000 short_of_memory on_device "${auto[@]}" --run none 2>none.error || status=$?
[ "$status" = 1 ] && says '^error: train.micro_tokens: nothing fits into the memory of fake:0, .* tried 500, 250, ' <none.error ||
  fail "status $status: $(cat none.error)"

cat >auto-list.yaml <<YAML
title: A study
base: auto.yaml
output: found-all
experiments: [{name: base}, {name: wide, set: {model.d_ff: 128}}]
YAML
short_of_memory on_device transformer-experiments auto-list.yaml --quiet --threads 1 --set train.steps=5 >table
on_device transformer-experiments auto-list.yaml --quiet --threads 1 >table
grep -q '^2 runs finished, 0 failed' table || fail "table3: $(cat table)"
for run in base wide; do
  folder_of_run=$(dirname "$(find found-all -path "*/$run/*" -name run.json)")
  [ "$(number "$folder_of_run/train")" = 250 ] || fail "table3: $run finds $(number "$folder_of_run/train")"
done
[ -z "$(find found-all -name '*.changed')" ] || fail "table3: a run that found its number began anew"
finish
