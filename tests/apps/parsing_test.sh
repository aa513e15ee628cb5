#!/usr/bin/env bash
# Parsing in all programs: trees in, trees out.
source "$(dirname "$0")/common.sh"
transformer-demo-corpus --output sentences --train 400 --dev 40 --test 20 --seed 3 >/dev/null
cat >parse.yaml <<'YAML'
data: {examples: trees, train: sentences/train.trees, dev: sentences/dev.trees, test: sentences/test.trees, prepared: prepared,
  tokenizer_kind: words, shared_vocabulary: false}
model: {layers: 1, d_model: 32, d_ff: 64, heads: 2, d_k: 16, d_v: 16, dropout: 0.1, tie: target}
train: {steps: 60, source_tokens: 1000, target_tokens: 1000, eval_every: 30, save_every: 30, schedule: constant, warmup: 5,
  factor: 0.01, metric: parseval, metric_every: 30, samples: 1}
decode: {beam: 2, length_offset: 100, alpha: 0}
YAML
transformer-prepare --quiet --config parse.yaml >prepare.out 2>&1 || fail "prepare: $(cat prepare.out)"
grep -q "^train  *400 trees " prepare.out || fail "prepare: $(cat prepare.out)"
transformer-prepare --quiet --config parse.yaml | says "up to date" || fail "prepare once more"
train=(transformer-train --threads 1 --config parse.yaml)
"${train[@]}" --run whole 2>train.log || fail "train: $(cat train.log)"
"${train[@]}" --quiet --run parts --set train.steps=30 2>/dev/null
"${train[@]}" --quiet --run parts --resume 2>/dev/null || fail "resume"
same whole parts
f1() { grep '"split":"dev"' whole/metrics.jsonl | "$@" | sed 's/.*"parseval":\([0-9.]*\).*/\1/'; }
first=$(f1 head -n 1) last=$(f1 tail -n 1)
awk -v first="$first" -v last="$last" 'BEGIN { exit !(last > first && last > 5) }' || fail "F1 $first, then $last"
grep -q "constituency parsing (6.3) instead of translation" <(transformer-inspect --config parse.yaml) || fail "inspect"

# Whatever a hardly trained model writes, trees of the sentences' words come out, and they score what training said.
translate=(transformer-translate --quiet --threads 1)
"${translate[@]}" --model whole/checkpoints/last --input prepared/dev.source.txt --output parsed 2>mended || fail "translate: $(cat mended)"
diff <(sed 's/([^ ]* \([^()]*\))/\1/g; s/([^ ]* //g; s/)//g' parsed) prepared/dev.source.txt >/dev/null || fail "words of trees: $(head -n 2 parsed)"
score=$(transformer-evaluate --hypothesis parsed --reference prepared/dev.target.txt --metrics parseval --json | grep -o '"score": *[0-9.]*')
awk -v a="${score##*[: ]}" -v b="$last" 'BEGIN { exit !(a - b < 0.05 && b - a < 0.05) }' || fail "evaluate: $score, training: $last"
transformer-evaluate --hypothesis parsed --reference prepared/dev.target.txt --metrics parseval | says " 0 errors" || fail "errors"
"${translate[@]}" --model parts --input prepared/dev.source.txt --set decode.length_offset=0 2>mended >short || fail "short"
grep -q "outputs are mended: no trees of their lines' words" mended || fail "mended: $(cat mended)"
[ "$(grep -c '^(' short)" = 40 ] || fail "short trees: $(head -n 3 short)"
echo "the ( cat )" | "${translate[@]}" --model whole 2>/dev/null | says "-LRB-" || fail "brackets in the text"

# Scores of given trees are those of the tokens that were learnt: the data set's.
score=(transformer-score --quiet --threads 1 --model whole)
"${score[@]}" --source prepared/dev.source.txt --target prepared/dev.target.txt >of-trees || fail "score of trees"
"${score[@]}" --data dev >of-data || fail "score of data"
paste of-trees of-data | awk '{ d = $1 - $3 } d > 0.01 || d < -0.01 { exit 1 }' || fail "scores: $(paste of-trees of-data | head -n 2)"
refuse "prepared/dev.source.txt:1: expected a tree in brackets, as the model learnt" \
  "${score[@]}" --source prepared/dev.source.txt --target prepared/dev.source.txt

# Without tags.
"${train[@]}" --quiet --run untagged --set data.tree_tags=false --set data.prepared=without 2>missing && fail "not prepared"
transformer-prepare --quiet --config parse.yaml --set data.tree_tags=false --set data.prepared=without >/dev/null || fail "prepare without tags"
"${train[@]}" --quiet --run untagged --set data.tree_tags=false --set data.prepared=without 2>untagged.log || fail "untagged: $(cat untagged.log)"
"${translate[@]}" --model untagged --input without/dev.source.txt --output untagged.trees 2>/dev/null || fail "translate without tags"
transformer-evaluate --hypothesis untagged.trees --reference without/dev.target.txt --metrics parseval | says "no tags" || fail "no tags"

# A search among trees alone leaves nothing to mend, with a beam or without, by the engine and by the modules.
bound() {
  local model=$1
  shift
  "${translate[@]}" --model $model --input without/dev.source.txt --set decode.whole_trees=true --output bound.trees --overwrite "$@" 2>mended &&
    ! grep mended mended || fail "whole trees, $*: $(cat mended)"
  transformer-evaluate --hypothesis bound.trees --reference without/dev.target.txt --metrics parseval | says " 0 errors" || fail "errors, $*"
}
"${translate[@]}" --model untagged --input without/dev.source.txt --set decode.beam=1 --output free.trees 2>mended
grep -q mended mended || fail "the model is too good for what follows"
bound untagged
bound untagged --set decode.beam=1
bound untagged --set decode.beam=4
additive=(--set data.tree_tags=false --set data.prepared=without --set decode.whole_trees=true --set model.attention_score=additive)
"${train[@]}" --quiet --run additive "${additive[@]}" 2>additive.log || fail "additive: $(cat additive.log)"
bound additive

# Two files of trees in proportion: half of the second one in each epoch, and the same half in a run that was stopped.
head -n 100 sentences/train.trees >gold.trees
tail -n 300 sentences/train.trees | gzip >silver.trees.gz
sed 's|train: sentences/train.trees|train: [gold.trees, silver.trees.gz], weights: [2, 0.5]|; s|prepared: prepared|prepared: mixture|' parse.yaml >mixed.yaml
transformer-prepare --quiet --config mixed.yaml >prepare.out 2>&1 || fail "prepare two files: $(cat prepare.out)"
grep -q "^train  *400 trees " prepare.out || fail "prepare two files: $(cat prepare.out)"
cmp prepared/train.bin mixture/train.bin || fail "two files are not the one that they were"
mixed=(transformer-train --quiet --threads 1 --config mixed.yaml)
"${mixed[@]}" --run mixed 2>/dev/null || fail "train on two files"
"${mixed[@]}" --run mixed-parts --set train.steps=30 2>/dev/null
"${mixed[@]}" --run mixed-parts --resume 2>/dev/null || fail "resume on two files"
same mixed mixed-parts
cmp -s whole/checkpoints/last/model.safetensors mixed/checkpoints/last/model.safetensors && fail "weights change nothing"
refuse "'data.weights' is 2,0.5, found 1,1" "${mixed[@]}" --run mixed --resume --set data.weights=1,1
refuse "key 'data.weights': expected a number for each text of data.train, 2, found 3" \
  "${mixed[@]}" --run none --set data.weights=1,1,1
refuse 'data.train is "1 text", but was "2 texts"' "${mixed[@]}" --run none --set data.train=gold.trees --set data.weights=none

# A list of experiments is judged by F1 as by any score.
cat >list.yaml <<'YAML'
base: parse.yaml
output: studies
test: true
experiments:
  - {name: fewer, set: {train.steps: 30}}
published:
  - {name: Another parser, score: 91.3}
YAML
transformer-experiments list.yaml --threads 1 --quiet >list.out 2>list.err || fail "list: $(tail -n 3 list.err)"
grep -q "91.3" studies/*.md || fail "published: $(ls studies)"

# What does not fit.
refuse "'decode.whole_trees': expected false where data.examples is not trees" \
  transformer-inspect --config parse.yaml --set decode.whole_trees=true --set data.examples=pairs
refuse "data.examples: expected documents, labelled or answers for model.kind encoder, found 'trees'" \
  "${train[@]}" --quiet --run none --set model.kind=encoder --set model.head=classes --set train.metric_every=0 --set train.samples=0
refuse "expected target or none without data.shared_vocabulary, found 'all'" "${train[@]}" --quiet --run none --set model.tie=all
refuse "'data.tree_tags': expected true, since it is for trees" transformer-prepare --quiet --config parse.yaml --set data.examples=pairs --set data.tree_tags=false
pairs=(--config parse.yaml --set data.examples=pairs --set data.source=en --set data.target=de --set data.train=sentences/train
  --set data.dev=sentences/dev --set data.test= --set data.prepared=pairs)
transformer-prepare --quiet "${pairs[@]}" >/dev/null || fail "prepare pairs"
refuse "found 'parseval', which compares trees" transformer-train --quiet --threads 1 "${pairs[@]}" --run none
refuse "data.bpe_dropout" transformer-prepare --quiet --config parse.yaml --set data.bpe_dropout=0.1
echo "(S (NN a)" >half.trees
refuse "half.trees:1: expected a tree in brackets: character 10: expected a closing bracket" \
  transformer-prepare --quiet --config parse.yaml --set data.train=half.trees --set data.prepared=none
[ ! -e none ] || fail "something was left"
finish
