#!/usr/bin/env bash
# A list of experiments is planned, run, gone on with after a kill, and reported; what fails does not stop the rest.
source "$(dirname "$0")/common.sh"
make_experiment
cat >list.yaml <<YAML
title: A study
base: experiment.yaml
output: out
experiments:
  - {name: base, seeds: 2}
  - {name: wide, group: C, scale: {model.d_ff: 2}, paper: {perplexity: 4.75, bleu: 26.2}}
  - {name: heads, set: {model.heads: [1, 4]}}
YAML
run=(transformer-table3 list.yaml --quiet --threads 1) # a command, for what is to get signals itself
table() { "${run[@]}" "$@"; }
weights() { sha256sum <"out/$1/train/checkpoints/last/model.safetensors"; }

table --plan >plan.txt
for name in base wide heads.heads=1 heads.heads=4 memory; do grep -q "^$name \| $name " plan.txt || fail "plan: no $name"; done
[ ! -e out/base ] || fail "--plan has begun a run"
table --plan | cmp - plan.txt || fail "the plan was measured again"

# Without the texts, it says what the configuration tells, and what is missing; a report has nothing but waiting rows.
nowhere=(--set data.train=nosuch/train --set data.prepared=nosuch/prepared --output nothing)
table --plan "${nowhere[@]}" >planned.txt || fail "a plan without texts: status $?"
grep -q '^wide  *1 *[0-9.]* M *[0-9.e+]* *400 + 400 *? *?$' planned.txt || fail "a plan without texts: $(cat planned.txt)"
grep -q 'nosuch/train.en is missing: parameters and FLOPs of 4 experiments' planned.txt || fail "nothing said of the texts"
table --report "${nowhere[@]}" >/dev/null || fail "a report before any run: status $?"
[ "$(grep -c waiting nothing/report.csv)" = 5 ] || fail "a report before any run: $(cat nothing/report.csv)"
table --report --output nothing2 >/dev/null || fail "a report before any run: status $?"
[ "$(grep -c waiting nothing2/report.csv)" = 5 ] || fail "a report before any run: $(cat nothing2/report.csv)"

# Killed in the middle of rows, together with all that it knows; what it began stops, and the next goes on.
status=0
"${run[@]}" --jobs 2 --set train.steps=400 --output slow >/dev/null 2>&1 &
runner=$!
until grep -qs '"step":1[0-9][0-9]' slow/base/seed-1/train/metrics.jsonl; do sleep 0.05; done
kill -9 $runner
wait $runner 2>/dev/null || status=$?
[ $status = 137 ] || fail "kill gave status $status"
# The one that was in the middle of its updates saves them first.
for _ in $(seq 300); do ! grep -qs 'interrupted after step' slow/base/seed-1/log.txt || break; sleep 0.1; done
grep -q 'interrupted after step' slow/base/seed-1/log.txt || fail "a killed runner's training was not saved"
before=$(tail -n 1 slow/base/seed-1/train/metrics.jsonl)
transformer-experiments list.yaml --threads 1 --jobs 2 --set train.steps=400 --output slow --only base >/dev/null 2>killed.log
grep -q 'going on after step' slow/base/seed-1/log.txt || fail "a killed run began anew"
grep -qF "${before%%,*}" slow/base/seed-1/train/metrics.jsonl || fail "the killed run's metrics are gone"
table --set train.steps=400 --output straight --only base --seeds 1 >/dev/null
cmp slow/base/seed-1/train/checkpoints/last/model.safetensors \
  straight/base/seed-1/train/checkpoints/last/model.safetensors || fail "a killed run ends otherwise"

table --jobs 2 >first.txt || fail "status $?"
grep -q '^5 runs finished, 0 failed' first.txt || fail "first: $(tail -n 1 first.txt)"
for file in report.md report.csv report.html bleu-by-parameters.svg learning-curves.svg; do
  [ -s out/$file ] || fail "no $file"
done
grep -q '26.2' out/report.md || fail "the report lacks the paper's figure"
[ "$(wc -l <out/wide/seed-1/dev.translation)" = 40 ] || fail "the dev set is not translated"
score=$(transformer-evaluate --hypothesis out/wide/seed-1/dev.translation --reference data/dev.de --json |
  sed -n 's/.*"score": \([0-9]*\.[0-9]\).*/\1/p')
grep -q "$score" out/report.csv || fail "the report's BLEU is not transformer-evaluate's $score"

# Finished runs are left alone, and a report can be made again at any time.
touch stamp
table >second.txt || fail "status $?"
[ -z "$(find out -newer stamp -name '*.safetensors' -o -newer stamp -name dev.translation)" ] || fail "a finished run ran again"
cp out/report.md copy.md && rm out/report.md
table --report >/dev/null && cmp copy.md out/report.md || fail "--report differs"

# --keep leaves out weights, but keeps all that another session needs to count the runs as finished.
[ "$(table --keep kept | wc -l)" = 5 ] && [ -z "$(table --keep kept)" ] || fail "kept: $(find kept)"
grep -r -- "$folder" kept && fail "what is kept names a folder of this machine"
[ "$(table --output other --take kept | wc -l)" = 5 ] || fail "taken: $(find other)"
table --output other >other.txt || fail "status $?"
grep -q '^5 runs finished, 0 failed' other.txt && [ -z "$(find other -name '*.safetensors')" ] || fail "runs that were kept ran again"
cmp out/report.csv other/report.csv || fail "the report of the runs that were kept differs"

# A run whose translations are yet to be made, or that is trained further, is not kept; of others those alone that are named.
cp -r out unfinished
sed -i 's/"trained": [0-9]*/"trained": 3/' unfinished/wide/seed-1/run.json
sed -i 's/ at step [0-9]*,/ at step 3,/' unfinished/base/seed-1/run.json
cp -r unfinished/base/seed-2 unfinished/base/seed-2.changed
[ "$(table --output unfinished --keep some --only wide)" = "kept some/base/seed-2" ] || fail "kept of unfinished runs: $(find some)"
echo changed >>unfinished/base/seed-2/dev.translation
[ "$(table --output unfinished --keep more 2>errors | wc -l)" = 2 ] && [ ! -e more/base ] || fail "kept of unfinished runs: $(find more)"
[ "$(grep -c ' not kept: ' errors)" = 1 ] && grep -q 'base, seed 2: not kept: .*expected the file whose SHA-256' errors || fail "a changed translation: $(cat errors)"
for other in --take --plan --report --jobs; do
  [ $other = --jobs ] || [ $other = --take ] && value=2 || value=
  status=0
  table --keep more $other $value >printed 2>errors || status=$?
  [ $status = 2 ] && [ ! -s printed ] && [ "$(wc -l <errors)" = 1 ] || fail "--keep with $other: status $status, $(cat errors)"
done

# A report that somebody changed stays, and so does another list's; nothing is run for a report that cannot be.
echo 'My thoughts.' >>out/report.md
refuse() {
  local expected=$1 status=0 before
  shift
  before=$(cat out/report.*)
  "$@" >printed 2>errors || status=$?
  [ $status = 2 ] && [ ! -s printed ] && grep -qF "$expected" errors && [ "$before" = "$(cat out/report.*)" ] ||
    fail "$*: status $status, $(cat errors)"
}
refuse 'out/report.md: expected the report that transformer-experiments wrote' table
refuse 'out/report.md: expected the report that transformer-experiments wrote' table --report
sed -i '$d' out/report.md
table --report >/dev/null || fail "the report as it was"
sed 's/A study/Another/' list.yaml >other.yaml
refuse 'found that of another list, ../list.yaml' transformer-experiments other.yaml --quiet --report

# A changed row starts again and keeps the old run; a change of decoding only decodes.
sed -i 's/scale: {model.d_ff: 2}/scale: {model.d_ff: 3}/' list.yaml
old=$(weights wide/seed-1)
table 2>changed.log >/dev/null || fail "status $?"
grep -q 'wide, seed 1: begins anew.*model.d_ff was 128 and is 192' changed.log || fail "nothing said of the change: $(cat changed.log)"
[ "$(weights wide/seed-1)" != "$old" ] || fail "a changed row was not trained"
[ "$(weights wide/seed-1.changed)" = "$old" ] || fail "the old row is lost"
old=$(weights wide/seed-1)
touch stamp
table --set decode.beam=1 >/dev/null || fail "status $?"
[ out/wide/seed-1/dev.translation -nt stamp ] || fail "not decoded again"
[ "$(weights wide/seed-1)" = "$old" ] && [ ! -e out/wide/seed-1.changed-2 ] || fail "trained for another beam"
table --average 2 >/dev/null || fail "status $?"
[ -e out/wide/seed-1/average/model.safetensors ] || fail "nothing was averaged"
grep -q 'mean of the last 2 checkpoints' out/report.md || fail "the report does not name the average"

# A row that fails is tried twice and reported with its log; the others go on.
sed -i 's/title:.*/title: A study of failures/; s/^experiments:/&\n  - {name: diverges, set: {train.factor: 1e12, train.max_skipped: 1}}/' list.yaml
status=0
table 2>failed.log >failed.txt || status=$?
[ $status = 1 ] || fail "a failed row gave status $status"
grep -q '5 runs finished, 1 failed' failed.txt || fail "failed: $(tail -n 1 failed.txt)"
grep -q 'diverges, seed 1: training failed (exit status 1), and is tried once more' failed.log || fail "not tried again"
grep -q 'NaN or infinite' out/report.md || fail "the report lacks the failed row's log"
sed -i '/diverges/d' list.yaml
table >/dev/null || fail "status $?"

# Test sets that the list asks for are translated without another training, and scored in two ways.
sed -i 's/^experiments:/test: true\ntokenize: [13a, paper]\nsustained: 1e9\npublished: [{name: Elsewhere, bleu: 23.75}]\n&/' list.yaml
old=$(weights base/seed-1)
table --only base >/dev/null || fail "status $?"
[ "$(weights base/seed-1)" = "$old" ] || fail "trained for a test set"
for way in 13a paper; do
  score=$(transformer-evaluate --hypothesis out/base/seed-1/test.translation --reference data/test.de --tokenize $way --json |
    sed -n 's/.*"score": \([0-9]*\.[0-9]\{4\}\).*/\1/p')
  grep -q "^,base,.*,1,finished,.*,$score" out/report.csv || fail "the test set's BLEU is not transformer-evaluate's $score ($way)"
done
grep -q '| Elsewhere | published | .* | 23.75 |' out/report.md || fail "no published system: $(cat out/report.md)"
table --keep kept-tested >/dev/null
cmp out/base/seed-1/test.translation kept-tested/base/seed-1/test.translation || fail "the test set's translation is not kept"
table --output other-tested --take kept-tested >/dev/null
table --output other-tested --only base >/dev/null && [ -z "$(find other-tested/base -name '*.safetensors')" ] ||
  fail "a run whose test translation was kept ran again"
rm -r kept-tested out/base/seed-1/test.translation
table --keep kept-tested 2>errors >/dev/null && grep -q 'base/seed-1/test.translation: expected' errors &&
  [ ! -e kept-tested/base/seed-1 ] || fail "a run without its test translation was kept: $(cat errors)"

# Stopped by a signal, it says so, and leaves nothing running.
status=0
"${run[@]}" --set train.steps=2000 --output stopped >/dev/null 2>stopped.log &
runner=$!
until grep -qs '"step":1[0-9][0-9]' stopped/base/seed-1/train/metrics.jsonl; do sleep 0.05; done
kill -TERM $runner
wait $runner || status=$?
[ $status = 130 ] || fail "TERM gave status $status"
grep -q 'the same command goes on' stopped.log || fail "nothing said of the stop"
pgrep -f "$folder/stopped" >/dev/null && fail "something still runs"

# An option that was forgotten does not cost what was trained with it.
status=0
table --precision bf16 >printed 2>errors || status=$?
[ $status = 2 ] && [ ! -s printed ] && grep -q 'begun with --precision fp32: expected the same' errors ||
  fail "another precision: status $status, $(cat printed errors)"
finish
