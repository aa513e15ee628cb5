#!/usr/bin/env bash
# transformer-bench prints what it promises, and refuses what it cannot measure.
source "$(dirname "$0")/common.sh"
make_experiment

# shows KEYS COMMAND…  prints one JSON object a line with each of the keys, and appends the same to a file.
shows() {
  local keys=$1 key
  shift
  rm -f appended
  transformer-bench "$@" --json --append appended >printed || fail "$*: status $?"
  cmp printed appended || fail "$*: what is appended differs"
  [ -s printed ] || fail "$*: prints nothing"
  for key in $keys; do
    [ "$(grep -c "\"$key\":" printed)" = "$(wc -l <printed)" ] || fail "$*: no $key"
  done
}

train=(train --config experiment.yaml --shape small --tokens 200 --seconds 0.1)
for precision in fp32 bf16; do
  shows "tokens_per_second flops_per_second share_of_gemm_peak padding_share peak_memory_bytes phases" \
    "${train[@]}" --precision $precision --write-batches batches
done
[ "$(wc -l <batches)" -ge 14 ] || fail "fewer batches than updates of warm-up"
grep -qvE '^[0-9]+( [0-9]+)*$' batches && fail "batches are sentence numbers"
grep -q '"seconds"' printed && fail "phases are shares"

for window in 0 5; do
  shows "forward_seconds backward_seconds memory_bytes" attention --length 40 --window $window --heads 2
done
transformer-bench attention --length 40 --window 5 --causal | says '40 positions, each with 5 to a side, causal' || fail "no text"

decode=(decode --shape small --tokenizer prepared/tokenizer.model --text data/test.en --repetitions 1)
for precision in fp32 bf16 int8; do
  shows "sentences_per_second tokens_per_second flops_per_second workers phases" "${decode[@]}" --precision $precision
done
shows "sentences_per_second" "${decode[@]}" --batch-tokens 1 --threads 1
shows "megabytes_per_second sentences_per_second peak_memory_megabytes text tokenizer" \
  prepare --config experiment.yaml
transformer-bench "${decode[@]}" | says 'sentences/s' || fail "no text"

# refused PATTERN ARGUMENT…
refused() {
  local pattern=$1 status=0
  shift
  transformer-bench "$@" >printed 2>errors || status=$?
  [ $status = 2 ] && [ ! -s printed ] && [ "$(wc -l <errors)" = 1 ] && grep -q -- "$pattern" errors ||
    fail "$*: status $status, $(cat printed errors)"
}
refused "expected small, base or big, found 'tiny'" train --config experiment.yaml --shape tiny
refused "nope.yaml" train --config nope.yaml
refused "found 'int8'" "${train[@]}" --precision int8
refused "--tokenizer are required" decode --text data/test.en --shape small
refused "nowhere: " decode --model nowhere --text data/test.en
mv data/train.en data/gone.en
refused "data/train.en" prepare --config experiment.yaml
refused "subcommand" fly
refused "nowhere/" "${decode[@]}" --append nowhere/file
cp experiment.yaml before
refused "expected lines of JSON" "${decode[@]}" --append experiment.yaml
refused "expected nothing or sentence numbers" "${train[@]}" --write-batches experiment.yaml
cmp before experiment.yaml || fail "the configuration was written to"
finish
