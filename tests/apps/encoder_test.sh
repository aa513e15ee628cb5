#!/usr/bin/env bash
# Encoders in all programs: masked tokens, labels of texts and words, numbers.
source "$(dirname "$0")/common.sh"
transformer-demo-corpus --output sentences --train 400 --dev 40 --test 10 --seed 3
cat >masks.yaml <<'YAML'
data: {examples: documents, train: sentences/train.en, dev: sentences/dev.en, prepared: prepared, tokenizer_kind: words, masks: true}
model: {kind: encoder, encoder_layers: 2, d_model: 32, d_ff: 64, heads: 2, d_k: 16, d_v: 16, dropout: 0.1, positions: learned,
  max_positions: 258, embedding_norm: true, output_transform: true, output_bias: true, activation: gelu, segments: 2}
train: {steps: 60, sentences: 32, eval_every: 30, save_every: 30, schedule: constant, warmup: 5, factor: 0.01, label_smoothing: 0}
YAML
transformer-prepare --quiet --config masks.yaml >prepare.out 2>&1 || fail "prepare: $(cat prepare.out)"
transformer-prepare --quiet --config masks.yaml >/dev/null || fail "prepare once more"
train=(transformer-train --quiet --threads 1 --config masks.yaml)
"${train[@]}" --run whole 2>train.log || fail "train: $(cat train.log)"
"${train[@]}" --run parts --set train.steps=30 2>/dev/null
"${train[@]}" --run parts --resume 2>/dev/null || fail "resume"
same whole parts
"${train[@]}" --run two --processes 2 2>two.log || fail "two processes: $(cat two.log)"
losses=$(tail -qn 1 whole/metrics.jsonl two/metrics.jsonl | sed 's/.*"loss":\([0-9.]*\).*/\1/' | tr '\n' ' ')
awk '{ exit !($1 - $2 < 1e-3 && $2 - $1 < 1e-3) }' <<<"$losses" || fail "alone and as two processes: losses $losses"
"${train[@]}" --run half --precision bf16 --set train.steps=5 2>half.log || fail "bf16: $(cat half.log)"
"${train[@]}" --run words --set train.mask_words=true --set train.r_drop=1 --set train.steps=5 2>words.log || fail "words: $(cat words.log)"
perplexity() { grep '"split":"dev"' whole/metrics.jsonl | "$@" | sed 's/.*"perplexity":\([0-9.]*\).*/\1/'; }
first=$(perplexity head -n 1) last=$(perplexity tail -n 1)
awk -v first="$first" -v last="$last" 'BEGIN { exit !(last < first) }' || fail "perplexity $first, then $last"
transformer-average --quiet --run whole --last 2 --output average || fail "average"
transformer-inspect --model whole >inspected || fail "inspect"
grep -q "encoder, in the place of the paper's encoder-decoder" inspected && ! grep -q decoder_self inspected || fail "inspect: $(cat inspected)"
transformer-inspect --check-variant encoder >checked || fail "rules of kinds: $(cat checked)"

# What needs another kind of model, or another one of data.
refuse "expected a model that maps a source to a target, found 'encoder', which does not" transformer-translate --quiet --model whole --input sentences/dev.en
refuse "expected a model that continues a text, found 'encoder', which does not" transformer-generate --quiet --model whole --prompt a
for format in torchscript safetensors ctranslate2 marian huggingface gguf; do
  status=0
  transformer-export --quiet --model whole --format $format --output exported 2>refused.err >/dev/null || status=$?
  option=model.kind && [ $format = huggingface ] && option=model.scale_embedding # of BERT, which it knows
  [ $status = 2 ] && [ "$(wc -l <refused.err)" = 1 ] && grep -q "$option" refused.err || fail "export to $format: $status, $(cat refused.err)"
done
refuse "model.head: expected none for masked tokens" "${train[@]}" --run none --set model.head=classes
refuse "expected its default, as model.kind is encoder-decoder, not encoder" "${train[@]}" --run none --set model.kind=encoder-decoder --set model.segments=2
refuse "train.mask_share" "${train[@]}" --run none --set train.mask_share=0

# Masks are filled, whatever is read beside a text.
fill=(transformer-fill --quiet --threads 1 --model whole)
printf 'a <mask> <mask>\n<mask> man .\n' >holes
"${fill[@]}" <holes >guesses || fail "fill"
[ "$(wc -l <guesses)" = 15 ] && [ "$(cut -f 1,2 guesses | uniq | tr '\n\t' ';,')" = "1,1;1,2;2,1;" ] || fail "fill: $(cat guesses)"
"${fill[@]}" --batch 1 --top-k 1 --json --input holes --output filled || fail "fill --json"
[ "$(wc -l <filled)" = 2 ] && grep -q '^{"text":"<mask> man .","masks":\[\[{"text":"[^"]*","piece":"[^"]*","id":[0-9]*,"probability":0' filled || fail "fill --json: $(cat filled)"
echo "no hole" >none
refuse "text 1: expected a <mask>, found none" "${fill[@]}" --input none

# Labels: a sentence says how many people there are by its first word.
label() { awk '{ print $0 "\t" ($1 == "a" || $1 == "A" ? "one" : "more") }' "sentences/$1.en"; }
label train >train.tsv
label dev >dev.tsv
cat >labels.yaml <<'YAML'
extends: masks.yaml
data: {examples: labelled, train: train.tsv, dev: dev.tsv, prepared: prepared-labels, tokenizer_kind: bpe, tokenizer: prepared/tokenizer.model}
model: {head: classes}
train: {steps: 40, eval_every: 20, save_every: 20, metric: accuracy, metric_every: 20, best: metric}
YAML
transformer-prepare --quiet --config labels.yaml >prepare.out 2>&1 || fail "prepare labels: $(cat prepare.out)"
train=(transformer-train --quiet --threads 1 --config labels.yaml)
"${train[@]}" --run labels 2>train.log || fail "train labels: $(cat train.log)"
"${train[@]}" --run parts-of-labels --set train.steps=20 2>/dev/null
"${train[@]}" --run parts-of-labels --resume 2>/dev/null || fail "resume labels"
same labels parts-of-labels
"${train[@]}" --run two-labels --processes 2 --set train.class_weights=balanced 2>two.log || fail "labels by two processes: $(cat two.log)"
cut -f 1 dev.tsv >texts
cut -f 2 dev.tsv >expected
transformer-label --quiet --threads 1 --model labels --input texts --expected expected >scores || fail "scores"
awk '/^accuracy = / { exit !($3 > 0.9) }' scores || fail "accuracy: $(cat scores)"
transformer-label --quiet --threads 1 --model labels <texts >labelled || fail "label"
[ "$(wc -l <labelled)" = 40 ] && ! grep -qvE '^(one|more)	[01]\.[0-9]{6}$' labelled || fail "label: $(head -n 3 labelled)"
transformer-label --quiet --threads 1 --model labels --json --input texts | says '"labels":\[{"label":"[a-z]*","probabilities":{"' || fail "label --json"
transformer-label --quiet --threads 1 --model whole --embed mean --input texts >vectors || fail "embed"
awk 'NF != 32 { exit 1 } { sum = 0; for (i = 1; i <= NF; ++i) sum += $i * $i; if (sum < 0.999 || sum > 1.001) exit 1 }' vectors || fail "vectors: $(head -n 1 vectors)"
transformer-label --quiet --threads 1 --model labels --labels --input texts >found || fail "label --labels"
[ "$(cut -f 1 labelled)" = "$(cat found)" ] || fail "labels alone: $(head -n 3 found)"
refuse "--json excludes --labels" transformer-label --quiet --model labels --labels --json --input texts

# A list of experiments compares rows by the share of right labels.
cat >list.yaml <<'YAML'
base: labels.yaml
output: studies
experiments:
  - {name: wide, set: {model.d_ff: 96}}
YAML
transformer-experiments list.yaml --threads 1 --quiet >list.out 2>list.err || fail "list: $(tail -n 3 list.err)"
grep -q "Accuracy" studies/report.md || fail "report: $(head -n 20 studies/report.md)"
run=$(dirname "$(find studies -name dev.translation | grep wide)")
transformer-label --quiet --threads 1 --model "$run/train/checkpoints/last" --labels --input texts | cmp - "$run/dev.translation" || fail "labels of a list: $run"
refuse "expected accuracy, exact_match or answer_f1, which compare rows of labels, found macro_f1" \
  transformer-experiments list.yaml --quiet --set train.metric=macro_f1

refuse "model.head: expected classes, number, words or span, for labels, found 'none' in the model" transformer-label --quiet --model whole --input texts
refuse "model.head: expected none, for masked tokens, found 'classes' in the model" transformer-fill --quiet --model labels --input holes
printf 'A man .\tnew\n' >>dev.tsv
transformer-prepare --quiet --config labels.yaml --overwrite >/dev/null
refuse "text 41: expected a label that a training text has, found 'new'" "${train[@]}" --run none

# Answers: the question says which word of the sentence is asked for, the one behind it.
for part in train dev; do
  awk '{ i = 1 + (NR * 7) % (NF - 1); print $i "</s>" $0 "\t" $(i + 1) }' "sentences/$part.en" >"answers-$part.tsv"
done
cat >answers.yaml <<'YAML'
extends: labels.yaml
data: {examples: answers, train: answers-train.tsv, dev: answers-dev.tsv, prepared: prepared-answers}
model: {head: span}
train: {steps: 20, eval_every: 10, save_every: 10, metric: answer_f1, metric_every: 10}
YAML
transformer-prepare --quiet --config answers.yaml >/dev/null || fail "prepare answers"
answers=(transformer-train --quiet --threads 1 --config answers.yaml)
"${answers[@]}" --run answers 2>train.log || fail "train answers: $(cat train.log)"
"${answers[@]}" --run parts-of-answers --set train.steps=10 2>/dev/null
"${answers[@]}" --run parts-of-answers --resume 2>/dev/null || fail "resume answers"
same answers parts-of-answers
grep -q '"answer_f1":' answers/metrics.jsonl || fail "answers: $(tail -n 2 answers/metrics.jsonl)"
cut -f 1 answers-dev.tsv >questions
cut -f 2 answers-dev.tsv >right
transformer-label --quiet --threads 1 --model answers --input questions --labels >found || fail "label answers"
paste -d '\t' found questions | awk -F '\t' '{ sub(/.*<\/s>/, "", $2); if ($1 == "" || index($2, $1) == 0) exit 1 }' || fail "answers of other texts: $(head -n 3 found)"
transformer-label --quiet --threads 1 --model answers --input questions --expected right | says '^exact_match = 0\.[0-9]*$' || fail "scores of answers"

# Numbers, and labels of words.
awk '{ print $0 "\t" NF / 2 }' sentences/train.en >train.tsv
awk '{ print $0 "\t" NF / 2 }' sentences/dev.en >dev.tsv
transformer-prepare --quiet --config labels.yaml --overwrite >/dev/null || fail "prepare numbers"
"${train[@]}" --run numbers --set model.head=number --set train.metric=pearson 2>train.log || fail "numbers: $(cat train.log)"
grep -q '"pearson":' numbers/metrics.jsonl || fail "numbers: $(tail -n 2 numbers/metrics.jsonl)"
transformer-label --quiet --threads 1 --model numbers <texts >labelled || fail "numbers"
for part in train dev; do
  awk '{ tags = ""; for (i = 1; i <= NF; ++i) tags = tags (i > 1 ? " " : "") (length($i) > 4 ? "B-LONG" : "O"); print $0 "\t" tags }' "sentences/$part.en" >"$part.tsv"
done
transformer-prepare --quiet --config labels.yaml --overwrite >/dev/null || fail "prepare words"
"${train[@]}" --run words-labels --set model.head=words --set train.metric=entity_f1 2>train.log || fail "words: $(cat train.log)"
cut -f 2 dev.tsv >expected
transformer-label --quiet --threads 1 --model words-labels --input texts --expected expected --json >scores || fail "scores of words"
grep -q '"entity_f1":0.[89]\|"entity_f1":1' scores || fail "entity F1: $(cat scores)"
finish
