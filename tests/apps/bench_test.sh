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

train=(train --config experiment.yaml --shape config --tokens 200 --seconds 0.1)
for precision in fp32 bf16; do
  shows "tokens_per_second flops_per_second share_of_gemm_peak padding_share peak_memory_bytes phases" \
    "${train[@]}" --precision $precision --write-batches batches
done
shows "tokens_per_second" "${train[@]}" --set model.feed_forward=swiglu
grep -q '"shape":"config"' printed || fail "the configuration's model is named"
[ "$(wc -l <batches)" -ge 14 ] || fail "fewer batches than updates of warm-up"
grep -qvE '^[0-9]+( [0-9]+)*$' batches && fail "batches are sentence numbers"
grep -q '"seconds"' printed && fail "phases are shares"

rm -f trace.json
shows "seconds_per_update" "${train[@]}" --without next-batch,recurring-shapes,short-attention,own-kernels,graphs --trace trace.json
grep -q '"traceEvents"' trace.json || fail "a trace in Chrome's format"
shows "bytes_per_second" copy --size 4

for window in 0 5; do
  shows "forward_seconds backward_seconds memory_bytes" attention --length 40 --window $window --heads 2
done
transformer-bench attention --length 40 --window 5 --causal | says '40 positions, each with 5 to a side, causal' || fail "no text"

# Each layer at each size, its paths, its exponents, and where attention and recurrence meet.
layers=(layers --lengths 8,24 --widths 16,32 --length 8 --width 16 --head-width 16 --window 3 --path-lengths 9,17
  --fit-lengths 1 --fit-widths 1 --seconds 0)
shows "layer what" "${layers[@]}" --output table1
[ "$(grep -c '"what":"time"' printed)" = $((8 * 3)) ] || fail "a time for each layer and size"
[ "$(grep -c '"what":"path"' printed)" = $((9 * 2)) ] || fail "a path for each layer and length"
[ "$(grep -c '"what":"exponent"' printed)" = $((8 * 2)) ] || fail "an exponent of n and of d for each layer"
grep '"layer":"restricted self-attention","length":17' printed | says '"path":6,' || fail "16 positions, 3 a layer"
grep '"layer":"LSTM","length":17' printed | says '"path":17,' || fail "a recurrence takes a step a position"
grep '"layer":"dilated convolution","length":17' printed | says '"path":3,' || fail "3^3 > 17 > 3^2"
grep '"what":"crossing"' printed | head -n 1 | says '"length_by_operations":16,' || fail "as many operations at n = d"
says '| self-attention | O(n² d) | 2 n² d | 2 | 2.00 |' <table1/table1.md || fail "table1.md"
says '</svg>' <table1/table1.svg || fail "table1.svg"
transformer-bench "${layers[@]}" | says 'position 1 reaches position 17 in 17; the paper: O(n)' || fail "no text"

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
refused "model.heads=2: expected --shape config.*found --shape small" train --config experiment.yaml --shape small --set model.heads=2
refused "nope.yaml" train --config nope.yaml
refused "found 'int8'" "${train[@]}" --precision int8
refused "--tokenizer are required" decode --text data/test.en --shape small
printf '\n  \n' >blank
refused "blank: expected sentences, found blank lines" decode --shape small --tokenizer prepared/tokenizer.model --text blank
refused "bench train --help" train --peak 0x
refused "nowhere: " decode --model nowhere --text data/test.en
mv data/train.en data/gone.en
refused "data/train.en" prepare --config experiment.yaml
refused "trace.json: expected nothing there, found a file" "${train[@]}" --trace trace.json
refused "--mark-update: expected a CUDA device, found cpu" "${train[@]}" --mark-update
refused "bench train --help" "${train[@]}" --without sleep
refused "expected an odd number, found 4" layers --kernel 4
refused "expected multiples of --head-width (64), found 96" layers --widths 64,96
refused "table1: " "${layers[@]}" --output table1
refused "subcommand" fly
refused "nowhere/" "${decode[@]}" --append nowhere/file
cp experiment.yaml before
refused "expected lines of JSON" "${decode[@]}" --append experiment.yaml
refused "expected nothing or sentence numbers" "${train[@]}" --write-batches experiment.yaml
cmp before experiment.yaml || fail "the configuration was written to"
finish
