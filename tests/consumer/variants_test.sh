#!/usr/bin/env bash
# variants_test.sh SOURCE_DIR LIBRARY: what a shared library adds to the programs, from training to export, and what is
# refused by its name. Beside LIBRARY lies libtraining.so, with parts of a training.
library=$2
source "$1/tests/apps/common.sh"
make_experiment
variants=(--set "model.variants.attention=local window=3" --set model.variants.norm=rms)
train=(transformer-train --quiet --threads 1 --load "$library" --config experiment.yaml)
head -n 5 data/test.en >source

"${train[@]}" "${variants[@]}" --run run --set train.bleu_every=12 2>train.log || fail "training: $(cat train.log)"
grep -q 'does not know model.variants.attention: local window=3' train.log || fail "nothing said of dev BLEU by the modules"
grep -q 'variants.attention: local window=3$' run/config.yaml && grep -q 'variants.norm: rms epsilon=1e-06$' run/config.yaml ||
  fail "the configuration lacks an option: $(grep variants run/config.yaml)"
"${train[@]}" --run plain --set decode.beam=1
cmp -s {run,plain}/checkpoints/last/model.safetensors && fail "the variants change nothing"
transformer-translate --quiet --threads 1 --model plain --input source >translated
consumer plain <source 2>consumer.log | cmp - translated || fail "a program of somebody's own: $(cat consumer.log)"

# Stopped and resumed, it ends where it would have ended; a run goes on with its own variants only.
"${train[@]}" "${variants[@]}" --run parts --set train.steps=4 --set train.bleu_every=12
"${train[@]}" "${variants[@]}" --run parts --resume --set train.bleu_every=12 || fail "resume"
cmp {run,parts}/checkpoints/last/model.safetensors || fail "a resumed training ends otherwise"

refuse "'model.variants.attention' is local window=3, found local window=4" \
  "${train[@]}" --run parts --resume "${variants[@]}" --set "model.variants.attention=local window=4"

# The modules translate in place of the engine; then the programs that load a model.
loaded=(--threads 1 --load "$library")
transformer-translate --model run "${loaded[@]}" --beam 2 --input source >native 2>translate.log || fail "translate: $(cat translate.log)"
[ "$(wc -l <native)" = 5 ] || fail "translate: $(cat native)"
grep -q 'does not know model.variants.attention: local window=3' translate.log || fail "nothing said of the modules"
refuse '--precision int8: expected fp32 or bf16 for model.variants.attention: local window=3' \
  transformer-translate --quiet --model run "${loaded[@]}" --precision int8 --input source
transformer-translate --quiet --model run "${loaded[@]}" --precision bf16 --input source >/dev/null || fail "bf16"
transformer-average --quiet "${loaded[@]}" --run run --last 2 --output average || fail "average"
transformer-score --quiet "${loaded[@]}" --model average --source source --target native | says . || fail "score"

# TorchScript holds the variants' operations and needs nobody's library; formats that others compute refuse.
transformer-export --quiet "${loaded[@]}" --model run --format torchscript --sentences 5 --output model.pt >proof || fail "$(cat proof)"
deploy_translate model.pt <source >deployed
transformer-translate --quiet "${loaded[@]}" --model run --input source | cmp - deployed || fail "the export translates otherwise"
for format in safetensors ctranslate2 marian; do
  refuse 'model.variants.attention: expected none for' \
    transformer-export --quiet "${loaded[@]}" --model run --format $format --sentences 2 --output other
  [ ! -e other ] || fail "something is left of $format"
done

# What it costs, and how it departs from the paper.
numbers() { transformer-inspect "$@" | sed -n 's/^  total  *\([0-9,]*\)$/\1/p' | tr -d , | head -n 1; }
norms=$((5 * 2 * 32)) # two in the encoder's layer, three in the decoder's; rms has no biases
[ "$(numbers --load "$library" --config run/config.yaml)" = $(($(numbers --config plain/config.yaml) - norms / 2)) ] ||
  fail "parameters are miscounted"
transformer-inspect --load "$library" --model run >inspected
grep -q 'local window=3, a variant from outside, in the place of scaled dot-product attention (3.2.1): each position' inspected &&
  grep -q 'rms epsilon=1e-06, a variant from outside' inspected || fail "departures: $(cat inspected)"
cat >list.yaml <<YAML
base: experiment.yaml
output: out
experiments:
  - {name: near, set: {model.variants.attention: [local window=1, local window=2]}}
  - {name: rms, set: {model.variants.norm: rms}}
YAML
table=(transformer-experiments list.yaml --quiet --threads 1)
"${table[@]}" --load "$library" --plan >plan.txt || fail "plan: status $?"
for row in near.attention=local-window=1 near.attention=local-window=2 rms; do
  grep -q "^$row  *1 *[0-9.]* M" plan.txt || fail "plan: $(cat plan.txt)"
done
"${table[@]}" --load "$library" --only rms --set train.steps=8 | says '^2 runs finished, 0 failed' || fail "a list of experiments"
grep -q '^| rms | model.variants.norm rms epsilon=1e-06 | finished' out/report.md || fail "the report lacks the variant"

# Without the library: which variant, with which option.
unknown="expected a variant that this program knows, found 'local window=3': --load names the shared library that has it"
for command in "translate --input source --model run" "score --source source --target native --model run" \
  "export --format torchscript --output other --model run" "inspect --model run" \
  "train --run run --resume --set train.steps=14"; do
  # shellcheck disable=SC2086
  refuse "model.variants.attention: $unknown" transformer-$command
done

transformer-inspect --load "$library" --check-variant "local window=2" >checks || fail "the example keeps to the rules: $(cat checks)"
[ "$(grep -c '^ok  ' checks)" = 15 ] && grep -q '^ok  *attention, decoder: step by step as at once: largest' checks ||
  fail "checks of the example: $(cat checks)"
refuse "--check-variant: expected a variant that this program knows, found 'local'" transformer-inspect --check-variant local

transformer-inspect --load "$library" --help-config | says 'window=16  how far away (a whole number from 0)' || fail "the list of keys lacks the variants"

# Parts of a training. Its model needs no library, and keeps nothing of them but their names.
training=$(dirname "$library")/libtraining.so
lion=(transformer-train --quiet --threads 1 --load "$training" --config experiment.yaml --set train.factor=0.002
  --set train.variants.optimizer=lion --set "train.variants.schedule=wsd decay=0.5")
"${lion[@]}" --run lion || fail "lion: status $?"
grep -q 'variants.optimizer: lion beta1=0.9 beta2=0.99$' lion/config.yaml && grep -q 'variants.schedule: wsd decay=0.5$' lion/config.yaml ||
  fail "the configuration lacks an option: $(grep variants lion/config.yaml)"
sizes=$(stat -c %s lion/checkpoints/last/{model,optimizer}.safetensors | paste -sd' ')
[ $((${sizes#* } * 10)) -lt $((${sizes% *} * 11)) ] || fail "Lion keeps more than one number: $sizes"
cp -r lion cut && rm -rf cut/checkpoints/{last,best,step-00000012} && "${lion[@]}" --run cut --resume && same lion cut
"${lion[@]}" --run whole --processes 2 && "${lion[@]}" --run shared --processes 2 --set distributed.shard_moments=true && same whole shared
transformer-translate --quiet --threads 1 --model lion --input source >plain.out || fail "translate without the library"
transformer-translate --quiet --threads 1 --load "$training" --load "$library" --model lion --input source | cmp - plain.out || fail "translate"
transformer-inspect --load "$training" --model lion | says 'lion beta1=0.9 beta2=0.99, a variant from outside, in the place of the paper.s Adam (5.3): signs' ||
  fail "Lion is no departure"
transformer-inspect --load "$training" --check-variant lion | says '^ok  *optimizer: goes on from what it keeps' || fail "Lion breaks a rule"
transformer-inspect --load "$training" --check-variant "wsd decay=0" | says '^ok  *schedule' || fail "wsd breaks a rule"
confident=("${lion[@]}" --set "train.variants.loss=confidence weight=0.5")
"${confident[@]}" --run confident || fail "a term of the loss: status $?"
! cmp -s {lion,confident}/checkpoints/last/model.safetensors || fail "the term changes nothing"
grep -q 'variants.loss: confidence weight=0.5$' confident/config.yaml || fail "the configuration lacks the term"

"${confident[@]}" --set train.r_drop=1 --set train.steps=2 --dry-run >/dev/null || fail "the term with R-Drop"
transformer-inspect --load "$training" --check-variant confidence | says '^ok  *loss: gradients by finite differences' || fail "the term breaks a rule"
refuse "train.variants.optimizer: expected a variant that this program knows, found 'lion beta1=0.9 beta2=0.99': --load names" \
  transformer-train --quiet --run cut --resume --set train.variants.schedule=none
refuse "'train.variants.optimizer' is lion beta1=0.9 beta2=0.99, found lion beta1=0.5 beta2=0.99" \
  "${lion[@]}" --run lion --resume --set "train.variants.optimizer=lion beta1=0.5"
refuse "'train.steps' is 12, found 24" "${lion[@]}" --run lion --resume --set train.steps=24
refuse "key 'train.beta1': expected nothing where train.variants.optimizer is set, found '0.5'" "${lion[@]}" --run new --set train.beta1=0.5

# Options that it does not have, and libraries that do not fit.
refuse "key 'model.variants.attention': expected the option window of local, found 'windo'" \
  "${train[@]}" --run other --set "model.variants.attention=local windo=3"
refuse "key 'model.variants.attention': expected a whole number from 0 for window of local, found '-1'" \
  "${train[@]}" --run other --set "model.variants.attention=local window=-1"
refuse "model.variants.norm: expected a variant that this program knows, found 'local window=3'" \
  "${train[@]}" --run other --set "model.variants.norm=local window=3"
refuse "$library: model.variants.attention: expected a variant of another name, found a second 'local'" \
  "${train[@]}" --load "$library" --run other
sed 's/, interface [0-9]*,/, interface 0,/' "$library" >older.so
refuse 'older.so: expected a plug-in that was compiled for transformer' "${train[@]:0:4}" --load older.so --config experiment.yaml
refuse 'absent.so: expected a shared library, found nothing of that name' transformer-inspect --load absent.so --config experiment.yaml
refuse 'source: expected a shared library' transformer-inspect --load source --config experiment.yaml
finish
