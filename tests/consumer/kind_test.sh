#!/usr/bin/env bash
# kind_test.sh SOURCE_DIR LIBRARY: a kind of model and a metric that a shared library adds: each program works with them, or names
# the kind that it does not know.
library=$2
source "$1/tests/apps/common.sh"
make_experiment
train=(transformer-train --quiet --threads 1 --load "$library" --config experiment.yaml --set "model.kind=bag hidden=24"
  --set train.metric=confidence --set train.metric_every=4 --set train.best=metric)
loaded=(--threads 1 --load "$library")
head -n 5 data/test.en >source
head -n 5 data/test.de >target

# It trains, is judged by its metric, goes on where it was stopped, alone and as two processes.
"${train[@]}" --run run 2>train.log || fail "training: $(cat train.log)"
grep -q 'kind: bag hidden=24$' run/config.yaml || fail "the configuration lacks the kind: $(grep -A 2 model: run/config.yaml)"
grep -q '"split":"dev".*"confidence":' run/metrics.jsonl || fail "no confidence: $(tail -n 1 run/metrics.jsonl)"
[ -e run/checkpoints/best ] || fail "no best checkpoint"
"${train[@]}" --run parts --set train.steps=4 2>/dev/null
"${train[@]}" --run parts --resume 2>/dev/null || fail "resume"
same run parts
"${train[@]}" --run two --processes 2 2>two.log || fail "two processes: $(cat two.log)"
"${train[@]}" --dry-run >dry || fail "dry run: $(cat dry)"
"${train[@]}" --run other --set train.metric=perplexity 2>/dev/null || fail "perplexity"
refuse "train.metric: expected bleu, chrf, chrf++, parseval, accuracy, exact_match, answer_f1, perplexity, token_accuracy, bits_per_character, bits_per_byte, word_perplexity or confidence, found 'rouge'" \
  "${train[@]}" --run third --set train.metric=rouge

# Average, search, scores.
transformer-average --quiet "${loaded[@]}" --run run --last 2 --output average || fail "average"
transformer-translate "${loaded[@]}" --model average --beam 3 --input source >native 2>translate.log || fail "translate: $(cat translate.log)"
[ "$(wc -l <native)" = 5 ] || fail "translate: $(cat native)"
grep -q 'does not know model.kind: bag' translate.log || fail "nothing said of the modules: $(cat translate.log)"
transformer-score --quiet "${loaded[@]}" --model run --source source --target target --metric confidence >counts || fail "score"
[ "$(awk '{ exit !($1 <= 1e6 * $2 && $2 > 0) }' counts && wc -l <counts)" = 5 ] || fail "counts: $(cat counts)"
transformer-sweep --quiet "${loaded[@]}" --run run --average 1,2 --beam 1,2 --alpha 0.6 --json >swept || fail "sweep"
[ "$(grep -c '"bleu"' swept)" = 4 ] || fail "sweep: $(cat swept)"

# A list, judged by the metric.
cat >list.yaml <<YAML
base: experiment.yaml
output: out
seeds: 2
set: {model.kind: bag hidden=24, train.metric: confidence, train.steps: 8}
experiments:
  - {name: wide, set: {model.kind: bag hidden=48}}
claims:
  - {claim: Width pays, row: wide, expected: better}
YAML
transformer-experiments list.yaml --quiet "${loaded[@]}" | says '^4 runs finished, 0 failed' || fail "a list of experiments"
grep -q '^| wide | model.kind bag hidden=48 | finished' out/report.md || fail "the report lacks the row: $(cat out/report.md)"
grep -q '^| Width pays |' out/report.md || fail "the report lacks the claim"
head -n 1 out/report.csv | says ',confidence,confidence_interval_mean,' || fail "columns: $(head -n 1 out/report.csv)"
[ -e out/confidence-by-parameters.svg ] || fail "no picture of scores"

# Whether it keeps to the rules.
transformer-inspect "${loaded[@]}" --check-variant "bag hidden=8" >checks || fail "the example keeps to the rules: $(cat checks)"
[ "$(grep -c '^ok  ' checks)" = 8 ] || fail "checks: $(cat checks)"

# What it costs, and who does not know it.
transformer-inspect "${loaded[@]}" --model run >inspected || fail "inspect"
grep -q 'bag hidden=24' inspected || fail "the departures lack the kind: $(cat inspected)"
transformer-export --quiet "${loaded[@]}" --model run --format torchscript --sentences 5 --output exported.pt >proof ||
  fail "TorchScript: $(cat proof)"
for format in safetensors ctranslate2 marian; do
  refuse 'expected an encoder-decoder, found model.kind bag' \
    transformer-export --quiet "${loaded[@]}" --model run --format $format --sentences 2 --output exported
  [ ! -e exported ] || fail "something is left of $format"
done
refuse 'attention: expected a model with attention over the source, found model.kind: bag hidden=24' \
  transformer-translate --quiet "${loaded[@]}" --model run --input source --attention map.html
refuse 'expected an encoder-decoder, found model.kind bag' transformer-inspect "${loaded[@]}" --model run --shapes 3,3
refuse "key 'model.heads': expected 8, its default, with model.kind bag, which does not know the key, found '4'" \
  "${train[@]}" --run third --set model.heads=4
unknown="model.kind: expected encoder-decoder, decoder, encoder, recurrent, or a kind that --load brings, found 'bag'"
refuse "$unknown" transformer-translate --quiet --model run --input source
refuse "$unknown" transformer-train --quiet --config run/config.yaml --run third
finish
