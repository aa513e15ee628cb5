#!/usr/bin/env bash
# From raw text to a score, program by program.
source "$(dirname "$0")/common.sh"
make_experiment

for program in prepare train average translate score sweep evaluate inspect; do
  check "$program --help" transformer-$program --help >/dev/null
done

transformer-prepare --quiet --config experiment.yaml >again || fail "an up-to-date data set is not an error"

transformer-train --quiet --threads 1 --config experiment.yaml --run whole
[ "$(grep -c '"split":"train"' whole/metrics.jsonl)" = 6 ] || fail "a line of metrics every 2 steps"
[ "$(grep -c '"split":"dev"' whole/metrics.jsonl)" = 3 ] || fail "three evaluations"
for key in step split loss perplexity learning_rate tokens_per_second flops; do
  grep -q "\"$key\":" whole/metrics.jsonl || fail "metrics hold $key"
done
[ "$(readlink whole/checkpoints/last)" = step-00000012 ] || fail "the link to the last checkpoint"
(cd whole/checkpoints/last && sha256sum --quiet -c checksums.sha256) || fail "checksums"

# A run in two parts, with a longer --steps the second time, equals the whole one.
transformer-train --quiet --threads 1 --config experiment.yaml --run parts --set train.steps=5
transformer-train --quiet --threads 1 --config experiment.yaml --run parts --resume
cmp whole/checkpoints/last/model.safetensors parts/checkpoints/last/model.safetensors || fail "resumed weights differ"
transformer-train --quiet --run parts --resume || fail "a finished run resumes to status 0"

# A copy that was made with links followed translates, goes on, and has its links again.
cp -rL whole copied
[ -d copied/checkpoints/best ] && [ ! -L copied/checkpoints/best ] || fail "the copy has links"
for run in whole copied; do
  transformer-translate --quiet --threads 1 --model $run --length-offset 5 <data/test.en >$run.de
  transformer-train --quiet --threads 1 --run $run --resume --set train.steps=16
done
cmp whole.de copied.de || fail "the copy translates otherwise"
cmp whole/checkpoints/last/model.safetensors copied/checkpoints/last/model.safetensors || fail "the copy goes on otherwise"
[ "$(ls whole/checkpoints)" = "$(ls copied/checkpoints)" ] || fail "the copy's checkpoints: $(ls copied/checkpoints)"
for link in last best; do
  [ "$(readlink whole/checkpoints/$link)" = "$(readlink copied/checkpoints/$link)" ] || fail "the copy's link $link"
done
grep -q 'checkpoints/last: was a copy of step-00000012, and is a link again' copied/log.txt || fail "nothing said of the copy"

transformer-average --quiet --run whole --last 3 --output average

# Averages are of checkpoints as far apart as train.save_every and of the end, whatever was saved between them.
few="train.steps 40, train.save_every 12, train.keep 3"
uneven="--set train.steps=40 --set train.save_every=12 --set train.eval_every=5"
transformer-train --threads 1 --config experiment.yaml --run uneven $uneven 2>uneven.log
grep -q "warning: checkpoints to average: 4 will be left ($few): too few for the usual mean of the last 5" uneven.log ||
  fail "nothing said of the few checkpoints: $(cat uneven.log)"
[ "$(ls -d uneven/checkpoints/step-* | wc -l)" -ge 5 ] || fail "nothing was saved between the checkpoints that were due"
transformer-average --run uneven --last 3 --output even 2>even.log || fail "an average with the end"
grep -q '3 checkpoints, step-00000024 to step-00000040' even.log && ! grep -q warning even.log ||
  fail "an average of other checkpoints than 24, 36 and 40: $(cat even.log)"
status=0
transformer-average --quiet --run uneven --last 5 --output more 2>errors || status=$?
[ $status = 2 ] && grep -q 'at multiples of train.save_every, 12, or at the end, found 4 and [0-9]* others' errors ||
  fail "an average of more than there are: $(cat errors)"
early="--set train.save_every=4 --set train.patience=1 --set train.best=bleu --set train.bleu_every=5"
transformer-train --quiet --threads 1 --config experiment.yaml --run early $uneven $early --set train.factor=1e-9 2>early.log
end=$(readlink early/checkpoints/last)
[ "$((10#${end#step-} % 4))" != 0 ] && [ "$end" != step-00000040 ] || fail "patience ended at $end: $(cat early.log)"
transformer-average --run early --last 2 --output ended 2>&1 | says "to $end" || fail "an average without the early end"
# The end is where the run was told to end the last time, also if a checkpoint was there already.
steps_of() { for name in "$1"/checkpoints/step-*; do echo $((10#${name##*-})); done; }
shorter=$(steps_of uneven | awk '$1 % 12 && $1 > 12 && $1 < 40' | tail -n 1)
cp -r uneven shorter
steps_of uneven | awk -v end="$shorter" '$1 > end { printf "shorter/checkpoints/step-%08d\n", $1 }' | xargs rm -r
transformer-train --quiet --threads 1 --run shorter --resume --set train.steps="$shorter" 2>shorter.log
transformer-train --threads 1 --run shorter --resume --set train.steps=12 2>beyond.log
grep -q "the run is at step $shorter already, beyond train.steps, 12: nothing was trained" beyond.log && ! grep -q '100%' beyond.log ||
  fail "fewer steps than were made: $(cat beyond.log)"
transformer-train --quiet --threads 1 --run shorter --resume --set train.steps="$shorter" 2>shorter.log
transformer-average --run shorter --last 2 --output short 2>&1 | says "step-00000012 to step-000000$shorter\|step-00000024 to step-000000$shorter" ||
  fail "an average without the end at $shorter: $(cat shorter.log)"
rm -r uneven/checkpoints/step-00000024
transformer-average --run uneven --last 3 --output gap 2>&1 | says '28 updates apart instead of 16' || fail "a gap"
transformer-average --run uneven --last 1 --output newest 2>/dev/null
cmp newest/model.safetensors uneven/checkpoints/last/model.safetensors || fail "the last one alone is the newest"

transformer-translate --quiet --threads 1 --model average --length-offset 5 <data/test.en >hypothesis
[ "$(wc -l <hypothesis)" = 60 ] || fail "a translation for each line"
transformer-translate --quiet --threads 1 --model average --length-offset 5 --batch-tokens 1 <data/test.en >alone
cmp hypothesis alone || fail "translations depend on their batch"
transformer-translate --quiet --threads 1 --model average --length-offset 5 --set decode.length_offset=0 <data/test.en \
  >with-set
cmp hypothesis with-set || fail "an option does not win over --set"
printf 'Anna sleeps.\n\nOtto waits.' | transformer-translate --quiet --model average --nbest 2 >nbest
[ "$(grep -c '^0 ||| ' nbest)" = 2 ] && [ "$(grep -c '^1 ||| ' nbest)" = 1 ] && [ "$(grep -c '^2 ||| ' nbest)" = 2 ] ||
  fail "n-best output: two, one for the empty line, two"

transformer-evaluate --hypothesis data/test.de --reference data/test.de --metrics 'bleu,chrf,chrf++' --json >scores
[ "$(grep -c '"score": 100.0' scores)" = 3 ] || fail "a perfect translation scores 100"
score="transformer-evaluate --hypothesis hypothesis --reference data/test.de"
$score --confidence --baseline data/test.de >compared
grep -q '^BLEU|nrefs:1|bs:1000|ar:10000|seed:12345|case:mixed|.* = [0-9.]* (μ = [0-9.]* ± [0-9.]*) [0-9]' compared ||
  fail "an interval beside the score"
grep -q '^BLEU baseline = 100.00 difference = -.* p = 0.0010 (paired bootstrap, two-sided) p = 0.0010 (one-sided, as sacreBLEU.s) p = 0.0001 ' compared ||
  fail "a comparison below the score"
[ "$($score)" = "$(sed -n '1{s/bs:1000|ar:10000|seed:12345|//;s/ (μ[^)]*)//;p}' compared)" ] ||
  fail "the score itself does not depend on what else is asked for"
[ "$($score --baseline hypothesis --seed 7 --json | grep -c '"p_[a-z]*": 1.0\|"difference": 0.0\||seed:7|')" = 4 ] ||
  fail "a translation does not differ from itself"
# Short and long sentences apart: of all groups together there are as many as lines, and one group is all.
$score --by-length data/test.en --lengths 3,5 >by-length
[ "$(sed -n 's/^BLEU of sources of .* words.* \([0-9]*\) sentences$/\1/p' by-length | awk '{ n += $1 } END { print n }')" = 60 ] ||
  fail "by length: $(cat by-length)"
grep -q '^BLEU of sources of up to 3 words' by-length && grep -q '^BLEU of sources of over 5 words' by-length ||
  fail "by length: $(cat by-length)"
{ tail -n 59 data/test.de && head -n 1 data/test.de; } >shifted
transformer-evaluate --hypothesis shifted --reference data/test.de --by-length data/test.en --lengths 1000 --json >by-length
[ "$(sed -n 's/.*"score": \([0-9.]*[1-9]\),/\1/p' by-length | uniq -c | awk '{ print $1 }')" = 2 ] ||
  fail "one group of all sentences: $(cat by-length)"
transformer-evaluate --model average --data dev >loss
grep -q '^perplexity' loss || fail "perplexity of a model"
transformer-inspect --model average --json >inspected
for key in parameters total flops per_update departures; do
  grep -q "\"$key\"" inspected || fail "inspect --json prints $key"
done
transformer-inspect --model average --shapes 7,5 >shapes
grep -Eq '^decoder.layers.0.source_attention: softmax\(QKᵀ\) +\(1, [0-9]+, 5, 7\)$' shapes || fail "shapes: $(cat shapes)"
[ "$(transformer-inspect --config experiment.yaml --shapes 7,5)" = "$(cat shapes)" ] || fail "shapes of a configuration"
[ "$(transformer-inspect --model average --shapes 7,5 --json | grep -c '"name"')" = "$(wc -l <shapes)" ] || fail "shapes in JSON"
line=$(head -n 1 data/dev.en)
transformer-inspect --model average --tokens "$line" --tokens '☃' >tokens
[ "$(sed -n '2,/^☃/s/^ *[0-9][0-9]*  //p' tokens | tr -d '\n' | sed 's/▁/ /g')" = " $line" ] || fail "pieces: $(cat tokens)"
[ "$(tail -n 1 tokens | awk '{ print $1 }')" = 0 ] || fail "the id of what is unknown: $(cat tokens)"
[ "$(transformer-inspect --config experiment.yaml --tokens "$line" --tokens '☃')" = "$(cat tokens)" ] || fail "tokens of a configuration"
predict="transformer-inspect --config experiment.yaml --device-peak 100 --memory-bandwidth 1000 --launch 4"
$predict | says '^an update takes [0-9.]* ms' || fail "a prediction of an update's time"
[ "$($predict --json | sed -n 's/.*"launches": \([0-9.]*\),$/\1/p' | awk '{ n += $1; last = $1 } END { print n == 2 * last }')" = 1 ] ||
  fail "the launches of the parts add up"
shared="$predict --devices 1,4 --network-bandwidth 10 --network-latency 5"
[ "$($shared | awk '/^ *1  .* 1\.0 +100\.0$/ { n += 1 } /^ *4  / { n += $7 > 0 && $8 > $4 } END { print n }')" = 2 ] ||
  fail "a prediction for one device and for four: $($shared)"
[ "$($shared --json | sed -n 's/.*"\(predicted_seconds\|devices\)": \([0-9.e-]*\),*$/\2/p' |
  awk '{ v[NR] = $1 } END { print NR, v[2] == 1, v[1] == v[3], v[4] == 4 }')" = "5 1 1 1" ] ||
  fail "the same in JSON: $($shared --json)"
[ "$(for wire in fp32 bf16; do
  $shared --json --set distributed.gradients=$wire | sed -n 's/.*"gradient_bytes": \([0-9.]*\),/\1/p' | tail -1
done | awk '{ v[NR] = $1 } END { print (v[2] > 0 && v[1] == 2 * v[2]) }')" = 1 ] || fail "half as many bytes in bf16"
$shared --set distributed.shard_moments=true | says '^not in it: what distributed.shard_moments saves' ||
  fail "what is not in a prediction"
status=0
$predict --set model.positions=rotary 2>errors || status=$?
[ $status = 2 ] && grep -q 'found model.positions: rotary' errors || fail "a prediction of what is not known: $(cat errors)"
finish
