#!/usr/bin/env bash
# A sweep over averages, beams and length penalties: what it prints, keeps and finds again.
source "$(dirname "$0")/common.sh"
make_experiment
# At this rate it learns to end sentences; at the usual one it hardly does, and a length penalty has nothing to choose from.
transformer-train --quiet --threads 1 --config experiment.yaml --run run --set train.steps=120 --set train.save_every=20 \
  --set train.eval_every=20 --set train.factor=0.1
sweep() {
  transformer-sweep --quiet --threads 1 --run run --set decode.length_offset=5 --average 1,3 --beam 1,3 --alpha 0,1,4 "$@"
}

sweep --output lines >table
[ "$(grep -c '^| *[13] | *[13] |' table)" = 8 ] || fail "a row for each combination, greedy search counted once"
[ "$(grep -c '\*\*[0-9.]*\*\*' table)" = 1 ] || fail "one best row"
[ "$(wc -l <lines)" = 8 ] || fail "a line for each row"
tail -n 1 table | says '^BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:' || fail "the signature"

# Each row is what the other programs find.
transformer-average --quiet --run run --last 3 --output average
row() {
  transformer-translate --quiet --threads 1 --length-offset 5 "$@" <prepared/dev.source.txt >hypothesis
  transformer-evaluate --hypothesis hypothesis --reference prepared/dev.target.txt |
    sed 's/.* = \([0-9.]*\) .*BP = \([0-9.]*\) ratio = \([0-9.]*\) .*/\1 | \2 | \3/'
}
found() {
  grep "^| *$1 | *$2 | *$3 |" table | tr -d '*' | sed 's/  */ /g' | cut -d ' ' -f 8-12
}
for alpha in 0 4; do
  [ "$(found 3 3 $alpha)" = "$(row --model average --beam 3 --alpha $alpha)" ] || fail "average 3, beam 3, alpha $alpha"
done
[ "$(found 1 1 any)" = "$(row --model run/checkpoints/last --beam 1)" ] || fail "average 1, beam 1"
[ "$(found 3 3 0)" != "$(found 3 3 4)" ] || fail "the length penalty makes no difference"

# Known results are not measured again, and an interrupted sweep goes on.
cp lines before
sweep --output lines >again
cmp table again || fail "the same table from the file"
cmp lines before || fail "nothing is measured twice"
head -n 6 before >lines
tail -n 2 before | head -c 100 >>lines # the sweep was killed while it wrote
sweep --output lines --json >objects
without_seconds() { sed 's/"seconds":[0-9.e-]*//' "$1"; }
for file in lines objects; do
  cmp <(without_seconds before) <(without_seconds $file) || fail "$file of a sweep that went on"
done

# The best settings can be written as a model that uses them by itself.
sweep --output lines --write best >/dev/null
best=$(grep '\*\*' table | tr -d '*|')
transformer-translate --quiet --threads 1 --model best <prepared/dev.source.txt >hypothesis
transformer-evaluate --hypothesis hypothesis --reference prepared/dev.target.txt |
  says " = $(awk '{print $4}' <<<"$best") " || fail "the best model translates otherwise: $best"
grep -q "  beam: $(awk '{print $2}' <<<"$best")\$" best/config.yaml || fail "the best beam: $best, $(grep beam: best/config.yaml)"
grep -q "  length_offset: 5\$" best/config.yaml || fail "what --set said of the search"
status=0
sweep --output lines --write best >/dev/null 2>errors || status=$?
[ $status = 2 ] && grep -q 'best: ' errors || fail "a model that is there: $(cat errors)"
sweep --output lines --write best --overwrite >/dev/null || fail "a model that is to be replaced"
sweep --data test --write other >/dev/null 2>errors && fail "a choice on the test text"
grep -q -- '--write: expected --data dev' errors || fail "a choice on the test text: $(cat errors)"
rm -r best

sweep --output - --json >printed
cmp <(without_seconds before) <(without_seconds printed) || fail "each line once on standard output"

# Other options, other checkpoints: another measurement.
sweep --output lines --set decode.length_penalty=length >/dev/null
[ "$(wc -l <lines)" = 16 ] || fail "another length penalty"
transformer-train --quiet --threads 1 --run run --resume --set train.steps=140
sweep --output lines >/dev/null
[ "$(wc -l <lines)" = 24 ] || fail "other last checkpoints"

# Another text is swept where its data are named, though the run's own text is there.
head -n 5 data/test.en >few.en && head -n 5 data/test.de >few.de
transformer-prepare --quiet --config experiment.yaml --set data.dev=few --set data.prepared=few >/dev/null
sweep --output lines --set data.prepared=few >/dev/null || fail "data of another text"
[ "$(wc -l <lines)" = 32 ] || fail "data of another text: $(wc -l <lines) lines"
transformer-prepare --quiet --config experiment.yaml --set data.source=de --set data.target=en --set data.prepared=turned >/dev/null
status=0
sweep --output - --set data.prepared=turned 2>errors >/dev/null || status=$?
[ $status = 2 ] && says 'turned/dev.bin: expected data from en to de' <errors || fail "data of the other direction: $status, $(cat errors)"
finish
