#!/usr/bin/env bash
# language_test.sh SOURCE_DIR LIBRARY: a language model that a shared library adds learns from documents; each program works with
# it, or names what it lacks.
library=$(dirname "$2")/liblanguage_model.so
source "$1/tests/apps/common.sh"
make_experiment
paste -d'\n' data/train.en data/train.de /dev/null >text.txt # paragraphs of two lines
head -n 30 text.txt >dev.txt
cat >language.yaml <<YAML
data: {examples: documents, document: paragraph, block: 16, train: text.txt, dev: dev.txt, test: dev.txt, prepared: blocks, vocabulary: 120}
model: {kind: feed-forward context=3 hidden=24, d_model: 16}
train: {steps: 12, source_tokens: 200, target_tokens: 200, micro_tokens: 100, warmup: 10, eval_every: 4, save_every: 4, log_every: 4,
  metric: perplexity, metric_every: 4, best: metric}
YAML
transformer-prepare --quiet --config language.yaml >report || fail "prepare: $(cat report)"
says '^one vocabulary of 120 pieces$' <report && says '^dev  *10 documents' <report || fail "prepare: $(cat report)"
transformer-prepare --quiet --config language.yaml | says 'up to date' || fail "prepared again"
train=(transformer-train --quiet --threads 1 --load "$library" --config language.yaml)
loaded=(--threads 1 --load "$library")

# It trains, resumes to the bit, in two processes too, and each token of the dev set is asked for once.
"${train[@]}" --run run 2>train.log || fail "training: $(cat train.log)"
"${train[@]}" --run parts --set train.steps=4 2>/dev/null
"${train[@]}" --run parts --resume 2>/dev/null || fail "resume"
same run parts
"${train[@]}" --run two --processes 2 2>two.log || fail "two processes: $(cat two.log)"
"${train[@]}" --dry-run >dry || fail "dry run: $(cat dry)"
"${train[@]}" --run passes --set train.epochs=1 --set train.r_drop=2 2>passes.log || fail "an epoch with R-Drop: $(cat passes.log)"
transformer-evaluate "${loaded[@]}" --model run --data dev --json >evaluated || fail "evaluate"
tokens=$(sed -n '/"dev": {/,/"target_tokens"/s/.*"target_tokens": \([0-9]*\).*/\1/p' blocks/summary.json)
grep -q "tokens:$((tokens + 10))|" evaluated || fail "expected $tokens tokens and 10 ends: $(cat evaluated)"

# The metric of training, the sum of what is scored, and the loss agree.
transformer-score --quiet "${loaded[@]}" --model run/checkpoints/last --data dev >scores || fail "score"
perplexity=$(awk '{ sum += $1; n += $2 } END { printf "%.4f", exp(-sum / n) }' scores)
last=$(sed -n 's/.*"split":"dev".*"perplexity":\([0-9.]*\).*/\1/p' run/metrics.jsonl | tail -n 1)
awk -v a="$perplexity" -v b="$last" 'BEGIN { exit !(a / b < 1.0001 && b / a < 1.0001) }' || fail "scores give $perplexity, training $last"
transformer-score --quiet "${loaded[@]}" --model run --target data/test.en >lines || fail "score of lines"
[ "$(wc -l <lines)" = "$(wc -l <data/test.en)" ] || fail "scores of lines"

# Documents one by one, averages, lists with statistics, costs.
"${train[@]}" --run whole --set data.block=0 --set data.prepared=whole.data 2>/dev/null && fail "data that are not prepared"
transformer-prepare --quiet --config language.yaml --set data.block=0 --set data.prepared=whole.data >/dev/null || fail "prepare documents"
"${train[@]}" --run whole --set data.block=0 --set data.prepared=whole.data 2>whole.log || fail "documents: $(cat whole.log)"
transformer-average --quiet "${loaded[@]}" --run run --last 2 --output average || fail "average"
cat >list.yaml <<YAML
base: language.yaml
output: out
seeds: 2
test: true
experiments:
  - {name: wide, set: {model.kind: feed-forward context=3 hidden=48}}
claims:
  - {claim: Width pays, row: wide, expected: better}
YAML
transformer-experiments list.yaml --quiet "${loaded[@]}" | says '^4 runs finished, 0 failed' || fail "a list: $(cat out/*/*/log.txt)"
grep -q '^| Width pays |' out/report.md || fail "the report lacks the claim"
transformer-inspect "${loaded[@]}" --model run | says 'a language model of documents (paragraphs in blocks of 16 tokens)' || fail "inspect"

# What does not fit together.
refuse "model.kind: expected a model that continues a text, found 'encoder-decoder', which does not" \
  transformer-train --quiet --config language.yaml --set model.kind=encoder-decoder --set model.d_model=512 --run third
refuse "model.kind: expected a model that maps a source to a target, found 'feed-forward', which does not" \
  transformer-train --quiet "${loaded[@]}" --config experiment.yaml --set "model.kind=feed-forward" --run third
refuse "model.kind: expected a model that maps a source to a target, found 'feed-forward', which does not" \
  transformer-translate --quiet "${loaded[@]}" --model run --input data/test.en
refuse "blocks: expected sentence pairs, whose sources are translated, found documents" \
  transformer-sweep --quiet "${loaded[@]}" --run run --average 1 --beam 1
refuse "train.metric: expected a metric of predictions, such as perplexity, where data.examples is documents, found 'bleu'" \
  "${train[@]}" --run third --set train.metric=bleu
refuse "--source: expected nothing for a model that maps no source to a target" \
  transformer-score --quiet "${loaded[@]}" --model run --source data/test.en --target data/test.de
refuse "at least a block (data.block) of 5000 tokens, found" "${train[@]}" --run third --set data.block=5000
refuse "'data.block': expected 0, since it is for documents (data.examples), found '8'" transformer-prepare --config experiment.yaml --set data.block=8
refuse "'data.bpe_dropout': expected 0, since it is for pairs (data.examples), found '0.1'" "${train[@]}" --run third --set data.bpe_dropout=0.1
: >empty.txt
refuse "empty.txt: expected documents, found an empty file" transformer-prepare --quiet --config language.yaml --set data.dev=empty.txt --overwrite
finish
