#!/usr/bin/env bash
# Language models in all programs: characters and bytes, training, scores, texts.
source "$(dirname "$0")/common.sh"
transformer-demo-corpus --output sentences --train 400 --dev 40 --test 10 --seed 3

# A text is cut in two, at a line's end if asked, and a second call changes nothing.
for lines in "" --lines; do
  "$source_dir/tools/split_text.sh" sentences/train.en cut $lines || fail "split $lines"
  cat cut/train.txt cut/dev.txt | cmp - sentences/train.en || fail "split $lines: the parts are not the text"
  "$source_dir/tools/split_text.sh" sentences/train.en cut $lines || fail "split $lines once more"
done
[ "$(tail -c 1 cut/train.txt | wc -l)" = 1 ] || fail "split --lines cuts a line"
echo mine >cut/dev.txt
"$source_dir/tools/split_text.sh" sentences/train.en cut 2>report && fail "split: somebody's file is replaced"
[ "$(cat cut/dev.txt)" = mine ] || fail "split: somebody's file is replaced"

cp sentences/train.en train.txt
cp sentences/dev.en dev.txt
cat >text.yaml <<'YAML'
data: {examples: documents, document: file, block: 32, train: train.txt, dev: dev.txt, prepared: prepared,
  tokenizer_kind: characters, normalization: identity}
model: {kind: decoder, layers: 2, d_model: 32, d_ff: 64, heads: 2, d_k: 16, d_v: 16, dropout: 0.1, positions: rotary, norm: pre}
train: {steps: 40, sentences: 16, eval_every: 20, save_every: 20, schedule: constant, warmup: 5, factor: 0.01, label_smoothing: 0}
YAML
transformer-prepare --quiet --config text.yaml >prepare.out 2>&1 || fail "prepare: $(cat prepare.out)"
train=(transformer-train --quiet --threads 1 --config text.yaml)
"${train[@]}" --run whole 2>train.log || fail "train: $(cat train.log)"
"${train[@]}" --run parts --set train.steps=20 2>/dev/null
"${train[@]}" --run parts --resume 2>/dev/null || fail "resume"
same whole parts
"${train[@]}" --run two --processes 2 2>two.log || fail "two processes: $(cat two.log)"
"${train[@]}" --run half --precision bf16 --set train.steps=5 2>half.log || fail "bf16: $(cat half.log)"
"${train[@]}" --run draws --set train.r_drop=1 --set train.steps=5 2>draws.log || fail "R-Drop: $(cat draws.log)"
first=$(grep -m 1 '"split":"dev"' whole/metrics.jsonl | sed 's/.*"perplexity":\([0-9.]*\).*/\1/')
last=$(grep '"split":"dev"' whole/metrics.jsonl | tail -n 1 | sed 's/.*"perplexity":\([0-9.]*\).*/\1/')
awk -v first="$first" -v last="$last" 'BEGIN { exit !(last < first && last < 25) }' || fail "perplexity $first, then $last"
transformer-average --quiet --run whole --last 2 --output average || fail "average"

# The metrics agree: bits of a character are log2 of the perplexity of a character, as a token is one, but for the end.
score() { transformer-score --threads 1 --model whole --data dev --metric "$1" --output counts --overwrite 2>&1 | sed -n 's/.*= //p'; }
tokens=$(wc -c <dev.txt)
awk -v p="$(score perplexity)" -v b="$(score bits_per_character)" -v y="$(score bits_per_byte)" -v n="$tokens" 'BEGIN {
  expected = log(p) / log(2) * n / (n - 1); exit !(b - expected < 0.02 && expected - b < 0.02 && b == y) }' ||
  fail "perplexity $(score perplexity), bits $(score bits_per_character), $(score bits_per_byte)"

# Texts: equal for a seed, however many are written at once; the engine and the modules agree.
generate=(transformer-generate --quiet --model whole --max-tokens 30)
printf 'The \nA man\n\nWe \n' >prompts
"${generate[@]}" --threads 1 --batch 1 --input prompts --samples 5 >alone || fail "generate"
"${generate[@]}" --threads 2 --batch 7 --input prompts --samples 5 >together
cmp alone together || fail "texts depend on the batch"
[ "$(wc -l <alone)" = 20 ] || fail "$(wc -l <alone) texts"
[ "$(grep -c '^A man' alone)" -ge 5 ] || fail "texts do not begin with their prompts"
"${generate[@]}" --seed 2 --input prompts --samples 5 >others
cmp -s alone others && fail "another seed draws the same"
"${generate[@]}" --temperature 0 --prompt "The " >greedy
"${generate[@]}" --temperature 0 --prompt "The " --precision int8 --json >json || fail "int8"
grep -q '"log_probabilities":\[-' json && grep -q '"end":"limit"' json || fail "json: $(cat json)"
"${generate[@]}" --temperature 0 --prompt "The " --no-prompt --stop " " >stopped
[ "$(cat stopped)" = "$(sed 's/^The //; s/ .*//' greedy)" ] || fail "stop: $(cat stopped) of $(cat greedy)"
"${train[@]}" --run biased --set train.steps=20 --set model.positions=every_layer 2>/dev/null || fail "bias"
transformer-generate --model biased --prompt "The " --max-tokens 5 >/dev/null 2>declined || fail "modules"
says "does not know model.positions: every_layer" <declined || fail "declined: $(cat declined)"
transformer-inspect --model whole >inspected || fail "inspect"
says "decoder, in the place of the paper's encoder-decoder" <inspected || fail "departures: $(cat inspected)"

# Bytes.
"${train[@]}" --run none --set data.tokenizer_kind=bytes --set data.prepared=bytes --set train.steps=1 2>/dev/null && fail "unprepared"
transformer-prepare --quiet --config text.yaml --set data.tokenizer_kind=bytes --set data.prepared=bytes >/dev/null || fail "bytes"
"${train[@]}" --run bytes-run --set data.tokenizer_kind=bytes --set data.prepared=bytes --set train.steps=5 2>/dev/null || fail "bytes: train"
transformer-generate --quiet --model bytes-run --prompt "ä" --max-tokens 3 >/dev/null || fail "bytes: generate"

# What cannot be.
refuse "model.kind: expected a model that maps a source to a target, found 'decoder'" transformer-translate --quiet --model whole --input prompts
refuse "temperature: expected a number from 0, found '-1'" "${generate[@]}" --temperature -1 --prompt x
refuse "prompt 1: expected at most 4 tokens" "${generate[@]}" --window 4 --prompt "The man"
refuse "key 'model.encoder_layers'" transformer-inspect --config text.yaml --set model.encoder_layers=3
for format in safetensors marian; do
  refuse "model.kind" transformer-export --quiet --model whole --format $format --output exported
done
refuse "model.norm_type: expected rms for GGUF" transformer-export --quiet --model whole --format gguf --output exported
refuse "precision fp16: expected fp32 for the format ctranslate2" transformer-export --quiet --model whole --format ctranslate2 --precision fp16 --output exported
[ ! -e exported ] || fail "something is left of a refused export"

# Exports: the proof compares continuations of the dev text, and its tokens. Line ends have no tokens in lines.
"${train[@]}" --run llama --set train.steps=5 --set model.norm_type=rms --set model.feed_forward=swiglu 2>/dev/null || fail "Llama's layers"
export_of() { transformer-export --quiet --threads 1 --model "$1" --format "$2" --precision "$3" --sentences 9 --output "$1.$2.$3" >proof || fail "$*: $(cat proof)"; }
export_of whole torchscript fp32
export_of whole torchscript bf16
export_of whole ctranslate2 fp32
for precision in fp32 fp16 bf16 int8; do export_of llama gguf $precision; done
grep -q '^greedy continuation *9 of 9 *9' proof && grep -q '^texts as tokens *9 of 9 *9' proof || fail "proof: $(cat proof)"
[ "$(stat -c %s llama.gguf.int8)" -lt "$(stat -c %s llama.gguf.fp16)" ] || fail "int8 takes less room than fp16"
head -c 10 train.txt >short.txt
short=(--set data.train=short.txt --set data.prepared=short)
transformer-prepare --quiet --config text.yaml "${short[@]}" >/dev/null 2>&1 || fail "short: prepare"
refuse "expected" "${train[@]}" --run none "${short[@]}"
finish
