#!/usr/bin/env bash
# Recurrent models in all programs.
source "$(dirname "$0")/common.sh"
make_experiment
head -n 20 data/test.en >source
head -n 20 data/test.de >target
options=(--set train.steps=20 --set train.eval_every=10 --set train.save_every=10 --set model.layers=2)
for kind in "recurrent" "recurrent cell=lstm attention=product input_feeding=true" "recurrent cell=lstm attention=none reverse_source=true"; do
  cat >kind.yaml <<YAML
extends: experiment.yaml
model: {kind: $kind}
YAML
  run=${kind//[ =]/-}
  train=(transformer-train --quiet --threads 1 --config kind.yaml "${options[@]}")
  "${train[@]}" --run "$run" 2>train.log || fail "$kind: $(cat train.log)"
  "${train[@]}" --run parts --set train.steps=10 2>/dev/null
  "${train[@]}" --run parts --resume 2>/dev/null || fail "$kind: resume"
  same "$run" parts
  rm -r parts
  "${train[@]}" --run two --processes 2 2>two.log || fail "$kind: two processes: $(cat two.log)"
  losses=$(tail -qn 1 "$run/metrics.jsonl" two/metrics.jsonl | sed 's/.*"loss":\([0-9.]*\).*/\1/' | tr '\n' ' ')
  awk '{ exit !($1 - $2 < 1e-3 && $2 - $1 < 1e-3) }' <<<"$losses" || fail "$kind: alone and as two processes: losses $losses"
  rm -r two
  "${train[@]}" --run half --precision bf16 --set train.steps=5 2>half.log || fail "$kind: bf16: $(cat half.log)"
  rm -r half
  transformer-translate --quiet --threads 1 --model "$run" --beam 3 --input source >translated 2>translate.log || fail "$kind: $(cat translate.log)"
  [ "$(wc -l <translated)" = 20 ] || fail "$kind: translations: $(wc -l <translated)"
  transformer-score --quiet --threads 1 --model "$run" --source source --target translated >scores || fail "$kind: score"
  [ "$(wc -l <scores)" = 20 ] || fail "$kind: scores"
  transformer-export --quiet --threads 1 --model "$run" --format torchscript --sentences 20 --output model.pt --overwrite >proof ||
    fail "$kind: export: $(cat proof)"
  for format in safetensors ctranslate2 marian; do
    refuse "expected an encoder-decoder, found model.kind recurrent" \
      transformer-export --quiet --model "$run" --format $format --output exported
  done
  refuse "expected fp32 or bf16 for model.kind: recurrent, which the engine for CPUs does not know" \
    transformer-translate --quiet --model "$run" --precision int8 --input source
  look=(transformer-score --quiet --threads 1 --model "$run" --source source --target target)
  if [ "${kind/none/}" = "$kind" ]; then
    "${look[@]}" --alignment links --alignment-heads 1:1 --attention page.html --overwrite >/dev/null || fail "$kind: attention"
    "${look[@]}" --attention weights.json --overwrite >/dev/null || fail "$kind: attention as JSON"
    [ "$(wc -l <links)" = 20 ] || fail "$kind: links"
    grep -q '"encoder":\[\]' weights.json && grep -q '"cross":\[\[\[\[' weights.json || fail "$kind: $(head -c 400 weights.json)"
    refuse "expected a head of the model's 1 layers with 1 heads each" "${look[@]}" --alignment links --overwrite --alignment-heads 2:1
  else
    refuse "attention: expected a model with attention over the source" "${look[@]}" --alignment - --alignment-heads 1:1
  fi
done

transformer-average --quiet --run recurrent --last 2 --output average || fail "average"
transformer-sweep --quiet --threads 1 --run recurrent --average 1,2 --beam 1,2 --alpha 0.6 --json >swept || fail "sweep"
[ "$(grep -c '"bleu"' swept)" = 4 ] || fail "sweep: $(cat swept)"
transformer-inspect --model recurrent >inspected || fail "inspect"
grep -q "recurrent attention=additive .*, in the place of the paper's encoder-decoder (3)" inspected || fail "departures: $(cat inspected)"

# Options that cannot be, before anything is made.
refuse "key 'model.kind': expected one of gru, lstm for cell of recurrent, found 'rnn'" \
  transformer-train --quiet --config experiment.yaml --set "model.kind=recurrent cell=rnn" --run none
refuse "model.d_model: expected an even number, or bidirectional=false of model.kind, found '33'" \
  transformer-train --quiet --config experiment.yaml --set model.kind=recurrent --set model.d_model=33 --run none
refuse "key 'model.tie': expected target or none without data.shared_vocabulary" \
  transformer-train --quiet --config experiment.yaml --set model.kind=recurrent --set data.shared_vocabulary=false --run none
refuse "key 'model.heads': expected 8, its default, with model.kind recurrent, which does not know the key, found '4'" \
  transformer-train --quiet --config experiment.yaml --set model.kind=recurrent --set model.heads=4 --run none
[ ! -e none ] || fail "a refused training left something"
finish
