#!/usr/bin/env bash
# Variants of the model from training to export: each program computes them, or names the option that it does not know.
source "$(dirname "$0")/common.sh"
make_experiment
train=(transformer-train --threads 1 --config experiment.yaml --set train.bleu_every=12)
head -n 5 data/test.en >source

# The engine for CPUs knows rotary positions and alibi; with vectors of distances the modules translate, and the log says so.
unknown='the engine for CPUs does not know model.positions: relative'
for run in rotary relative alibi; do
  "${train[@]}" --run $run --set model.positions=$run 2>$run.log || fail "$run: status $?"
  grep -q '"split":"dev".*"bleu":' $run/metrics.jsonl || fail "$run: no dev BLEU: $(tail -n 1 $run/metrics.jsonl)"
  transformer-translate --model $run --threads 1 --beam 2 --nbest 2 --input source >$run.out 2>$run.err ||
    fail "$run: translate: $(cat $run.err)"
  [ "$(wc -l <$run.out)" = 10 ] || fail "$run: $(wc -l <$run.out) lines"
done
grep -q "$unknown" relative.log || fail "nothing said of dev BLEU by the modules: $(cat relative.log)"
grep -q "$unknown" relative.err || fail "nothing said of the modules"
grep -q 'does not know' rotary.log alibi.log && fail "rotary or alibi is not in the engine"

refuse() {
  local pattern=$1 status=0
  shift
  "$@" >refused.out 2>refused.err || status=$?
  [ $status = 2 ] && [ ! -s refused.out ] && grep -q -- "$pattern" refused.err && [ "$(wc -l <refused.err)" = 1 ] ||
    fail "status $status, $(cat refused.err): $*"
}
refuse '--precision int8: expected fp32 or bf16 for model.positions: relative' \
  transformer-translate --quiet --model relative --precision int8 --input source
for run in rotary relative alibi; do
  for format in torchscript safetensors; do
    transformer-export --quiet --threads 1 --model $run --format $format --sentences 4 --output $run.$format >/dev/null ||
      fail "$run: $format"
  done
  for format in ctranslate2 marian; do
    refuse "model.positions: expected .* found $run" \
      transformer-export --quiet --model $run --format $format --sentences 4 --output $run.$format
    [ ! -e $run.$format ] || fail "$run: something is left of $format"
  done
  transformer-inspect --config $run/config.yaml | says 'the paper adds sinusoids to the embeddings' || fail "$run: no departure"
done
# Other structures of a layer, from training to translation: by the engine where it knows them, else by the modules; resumed, a run ends as
# it would have.
declare -A switches=([sandwich]='norm: sandwich' [rms]='norm_type: rms' [batch]='norm_type: batch' [layers]='positions: every_layer' [alone]='residual: false' [parallel]='parallel_sublayers: true'
  [glu]='feed_forward: glu' [swiglu]='feed_forward: swiglu' [attention]='feed_forward: none'
  [distances]='positions: relative' [additive]='attention_score: additive' [window]='attention_window: 2' [grouped]='kv_heads: 1'
  [qk]='qk_norm: true')
for run in "${!switches[@]}"; do
  key=${switches[$run]} set=(--set model.${switches[$run]/: /=})
  [ $run != batch ] || set+=(--set train.micro_tokens=400) # a batch normalises whole updates
  "${train[@]}" --quiet --run $run "${set[@]}" 2>$run.log || fail "$run: status $?: $(cat $run.log)"
  "${train[@]}" --quiet --run $run.whole "${set[@]}" --set train.steps=8 2>/dev/null || fail "$run.whole: status $?"
  "${train[@]}" --quiet --run $run.whole "${set[@]}" --resume 2>/dev/null || fail "$run.whole: resumed: status $?"
  same $run $run.whole
  transformer-translate --model $run --threads 1 --beam 2 --input source >$run.out 2>$run.err || fail "$run: translate"
  case $run in
    glu | swiglu | rms | window | grouped | qk) grep -q 'does not know' $run.err && fail "$run is not in the engine" ;;
    *) grep -q "the engine for CPUs does not know model.$key" $run.err || fail "$run: $(cat $run.err)" ;;
  esac
done
# `options: every_option` tests which options each format writes; here the program does it.
transformer-export --quiet --threads 1 --model window --format torchscript --sentences 4 --output window.pt >/dev/null ||
  fail "window: torchscript"
refuse "model.feed_forward: .*swiglu" transformer-export --quiet --model swiglu --format ctranslate2 --sentences 4 --output new
for set in positions=none attention_scale=false; do
  "${train[@]}" --quiet --run $set --set model.$set || fail "$set: status $?"
  transformer-translate --model $set --threads 1 --beam 2 --input source >$set.out 2>$set.err || fail "$set: translate"
  grep -q 'does not know' $set.err && fail "$set is not in the engine"
done
refuse "'model.activation': expected nothing where model.feed_forward is glu, found 'gelu'" \
  transformer-train --config experiment.yaml --run odd --set model.feed_forward=glu --set model.activation=gelu
refuse "'train.micro_tokens': expected auto, or at least the .* tokens of an update, where model.norm_type is batch, found '8'" \
  transformer-train --config experiment.yaml --run odd --set model.norm_type=batch --set train.micro_tokens=8
refuse "'train.r_drop': expected 0 where model.norm_type is batch, found '1'" \
  transformer-train --config experiment.yaml --run odd --set model.norm_type=batch --set train.micro_tokens=auto --set train.r_drop=1
refuse 'model.norm_type batch: expected one process, which sees a whole update, found 2' \
  transformer-train --config experiment.yaml --run odd --log-level error --set model.norm_type=batch --set train.micro_tokens=auto --processes 2
refuse "'model.d_k': expected an even number for rotary positions, found '5'" \
  transformer-train --config experiment.yaml --run odd --set model.positions=rotary --set model.d_k=5
finish
