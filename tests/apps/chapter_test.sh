#!/usr/bin/env bash
# Words, tables of pairs, batches of sentences and epochs, from a table to translations and exports. Then the
# script of ./dev chapter, on the smallest possible table.
source "$(dirname "$0")/common.sh"

# A language of numbers: 'Two Three!' is 'deux trois !'. The last lines are rare words and one long sentence.
awk 'BEGIN {
  split("Zero One Two Three Four Five Six Seven Eight Nine Ten", english)
  split("zéro un deux trois quatre cinq six sept huit neuf dix", french)
  for (i = 0; i < 1100; ++i) {
    a = i % 10 + 1; b = int(i / 10) % 10 + 1; c = int(i / 100) + 1
    printf "%s %s %s!\t%s %s %s !\tCC-BY\t%d\n", english[a], english[b], english[c], french[a], french[b], french[c], i
  }
  print "rare\tmot"
}' >pairs.tsv
head -n 3 pairs.tsv >dev.tsv
cat >words.yaml <<YAML
data: {source: en, target: fr, train: pairs.tsv, dev: dev.tsv, prepared: prepared, pairs: 1000, tokenizer_kind: words,
       min_frequency: 3, normalization: lower_punctuation, shared_vocabulary: false, max_tokens: 3, longer: cut}
model: {layers: 1, d_model: 32, d_ff: 64, heads: 2, d_k: 16, d_v: 16, dropout: 0, tie: none, output_bias: true}
train: {epochs: 2, sentences: 64, schedule: cosine, warmup: 4, factor: 0.005, clip: 1, clip_sum: true, label_smoothing: 0,
        eval_every: 16, save_every: 16, log_every: 8, keep: 3}
decode: {beam: 1, alpha: 0}
YAML

transformer-prepare --quiet --config words.yaml >report
says 'vocabularies of 15 source and 15 target pieces' <report || fail "the vocabularies: $(cat report)"
says 'cut: 1000 of 1000 pairs, to 3 tokens a side' <report || fail "what was cut: $(cat report)"
gzip -k pairs.tsv
transformer-prepare --quiet --config words.yaml --set data.train=pairs.tsv.gz --set data.prepared=packed >/dev/null
cmp prepared/train.bin packed/train.bin || fail "a packed table is another data set"

train="transformer-train --quiet --threads 1 --config words.yaml"
$train --run run
grep -q '^  steps: 32$' run/config.yaml || fail "2 epochs of 16 updates: $(grep steps run/config.yaml)"
[ -d run/checkpoints/step-00000032 ] || fail "the last checkpoint: $(ls run/checkpoints)"
$train --run run --resume || fail "a finished run of epochs resumes"
# Without a falling rate the end may move; with --resume and no --config the run's own steps hold.
$train --run longer --set train.schedule=constant
transformer-train --quiet --threads 1 --run longer --resume || fail "resuming by the run's own configuration"
$train --run longer --resume --set train.schedule=constant --set train.epochs=3
grep -q '^  steps: 48$' longer/config.yaml || fail "a third epoch: $(grep steps longer/config.yaml)"
$train --run longer --resume --set train.schedule=constant --set train.steps=50 # the nearer key
[ -d longer/checkpoints/step-00000050 ] || fail "steps in the place of epochs: $(ls longer/checkpoints)"

echo 'Two THREE four! never-seen' | transformer-translate --model run --quiet >translation || fail "translating words"
[ "$(wc -l <translation)" = 1 ] || fail "one line in, others out: $(cat translation)"
echo 'Two Three' >source && echo 'deux inconnu jamais !' >target
transformer-score --model run --source source --target target | says "$(printf '\t5$')" ||
  fail "each unknown word is a token: $(transformer-score --model run --source source --target target)"
transformer-evaluate --model run --data dev >/dev/null || fail "evaluating a model of words"
for format in torchscript safetensors marian ctranslate2; do
  transformer-export --model run --format $format --output exported 2>message && fail "$format takes words"
  says 'data.tokenizer_kind' <message || fail "$format: $(cat message)"
  [ ! -e exported ] || fail "$format left something behind"
done

# refused NAME PATTERN COMMAND…
refused() {
  local name=$1 pattern=$2 status=0
  shift 2
  "$@" >output 2>message || status=$?
  [ $status = 2 ] && says "$pattern" <message && [ "$(wc -l <message)" = 1 ] || fail "$name: $status, $(cat message)"
}
printf 'a\tb\nc d\n' >untabbed.tsv
prepare="transformer-prepare --quiet --config words.yaml --set data.prepared=new"
refused "a line of a table without a tab" 'untabbed.tsv:2: expected two sentences' $prepare --set data.train=untabbed.tsv
refused "no word is frequent enough" 'data.min_frequency: expected at most 1000' $prepare --set data.min_frequency=2000
refused "steps and epochs" 'one of train.steps and train.epochs' $train --run new --set train.epochs=2 --set train.steps=9
refused "a warm-up beyond the epochs" 'train.warmup: expected less than train.steps (32)' $train --run new --set train.warmup=40
refused "another kind of vocabulary" 'data.min_frequency is 1, but was 3' $train --run new \
  --set data.tokenizer_kind=bpe --set data.min_frequency=1
[ ! -e new ] || fail "what was refused left something behind"

cat >list.yaml <<YAML
base: words.yaml
output: study
experiments:
  - {name: shorter, set: {train.epochs: 1}}
YAML
transformer-experiments list.yaml --quiet --threads 1 >table || fail "a list of epochs"
grep -q '"trained": 16' study/shorter/seed-1/*.json 2>/dev/null || grep -rq '"trained": 16' study || fail "one epoch in a list"
transformer-experiments list.yaml --quiet --threads 1 | says '2 runs finished' || fail "the list again"

"$source_dir/tools/chapter.sh" pairs.tsv.gz chapter --set train.epochs=2 --set train.eval_every=16 >chapter.txt ||
  fail "the chapter's script"
says '^    2\( *[0-9]\.[0-9]\{4\}\)\{6\}$' <chapter.txt || fail "the loss curve: $(cat chapter.txt)"
[ "$(grep -c 'seconds an epoch' chapter.txt)" = 3 ] || fail "seconds an epoch: $(cat chapter.txt)"
[ "$(says '^Wow ! ' <chapter.txt && echo yes)" = yes ] || fail "the four sentences: $(cat chapter.txt)"
[ "$(grep -c '^BLEU|' chapter.txt)" = 6 ] || fail "BLEU: $(cat chapter.txt)"
echo mine >chapter/data/train.en
refused "somebody's file in the chapter's folder" 'chapter/data/train.en: expected nothing or what this script wrote' \
  "$source_dir/tools/chapter.sh" pairs.tsv.gz chapter --set train.epochs=2 --set train.eval_every=16
[ "$(cat chapter/data/train.en)" = mine ] || fail "somebody's file was replaced"
refused "a file of too few pairs" 'expected more than 1001 pairs, found 3' "$source_dir/tools/chapter.sh" dev.tsv few
refused "the chapter without its file" 'fra-eng.zip' "$source_dir/dev" chapter
finish
