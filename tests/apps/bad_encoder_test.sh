#!/usr/bin/env bash
# What the programs refuse of encoders, their texts and their labels: see refusals.sh.
source "$(dirname "$0")/refusals.sh"
transformer-demo-corpus --output sentences --train 200 --dev 20 --test 5 --seed 3 >corpus.log
cp sentences/train.en train.txt && cp sentences/dev.en dev.txt
cat >masks.yaml <<'YAML'
data: {examples: documents, train: train.txt, dev: dev.txt, prepared: prepared, tokenizer_kind: words, masks: true}
model: {kind: encoder, encoder_layers: 1, d_model: 16, d_ff: 16, heads: 2, d_k: 8, d_v: 8, positions: learned, max_positions: 258}
train: {steps: 2, sentences: 4, label_smoothing: 0}
YAML
# labelled NAME DEV TRAIN  a configuration of texts with labels, prepared.
labelled() {
  printf '%b' "$2" >"$1-dev.tsv"
  printf '%b' "$3" >"$1.tsv"
  printf 'extends: masks.yaml\ndata: {examples: labelled, train: %s.tsv, dev: %s-dev.tsv, prepared: %s}\nmodel: {head: classes}\n' "$1" "$1" "$1" >"$1.yaml"
  transformer-prepare --quiet --config "$1.yaml" >"$1.log"
}
transformer-prepare --quiet --config masks.yaml >prepare.log
transformer-prepare --quiet --config masks.yaml --set data.masks=false --set data.prepared=plain >prepare.log
transformer-train --quiet --threads 1 --config masks.yaml --run masks 2>train.log
labelled good 'c d\tbad\n' 'a b\tgood\nc\tbad\n'
labelled unseen 'c\tbad\nd\tnew\n' 'a b\tgood\nc\tbad\n'
labelled two 'c\tbad\n' 'a b\tvery good\nc\tbad\n'
labelled words 'c\tbad\n' 'a b c\tO O\n'
transformer-train --quiet --threads 1 --config good.yaml --run labels 2>train.log
printf 'who</s>a cat sat\ta cat\n' >answer.tsv
printf 'who</s>a cat sat\ta cat\nwho</s>a cat\ta dog\n' >answers.tsv
printf 'extends: masks.yaml\ndata: {examples: answers, train: answer.tsv, dev: answer.tsv, prepared: answers}\nmodel: {head: span}\n' >answers.yaml
transformer-prepare --quiet --config answers.yaml >prepare.log
printf '{"text": "a"}\n' >no-label.jsonl
printf '{"text": "a", "label"\n' >cut.jsonl
printf '{"text": {}, "label": "x"}\n' >object.jsonl
printf 'text\tclass\na\tb\n' >names.tsv
printf 'a <mask>\nb\n' >second.txt
printf 'a \xff <mask>\n' >bytes.txt
printf 'a\nb\n' >texts.txt
printf 'good\n' >one.txt
printf 'a %.0s' $(seq 300) >long.txt
train="transformer-train --quiet --config"
fill="transformer-fill --quiet --model"
label="transformer-label --quiet --model"

refused "prepare: a line of JSON without a label" 'no-label.jsonl:1' transformer-prepare --quiet --config good.yaml --set data.train=no-label.jsonl --set data.prepared=none
refused "prepare: a line that is no JSON" 'cut.jsonl:1' transformer-prepare --quiet --config good.yaml --set data.train=cut.jsonl --set data.prepared=none
refused "prepare: a text of JSON that is none" 'found object' transformer-prepare --quiet --config good.yaml --set data.train=object.jsonl --set data.prepared=none
refused "prepare: a column of labels that is not there" 'one of them label' transformer-prepare --quiet --config good.yaml --set data.train=names.tsv --set data.columns=text,label --set data.prepared=none
refused "prepare: an answer that the text has not" "answers.tsv:2: expected an answer" transformer-prepare --quiet --config answers.yaml --set data.train=answers.tsv --set data.prepared=none
refused "train: answers without their head" 'model.head: expected span' $train answers.yaml --run none --set model.head=words
refused "train: the head of answers for labels" 'model.head: expected classes' $train good.yaml --run none --set model.head=span
refused "train: masks without the token" 'expected a piece <mask>' $train masks.yaml --run none --set data.masks=false --set data.prepared=plain
refused "train: a head for masked tokens" 'model.head: expected none' $train masks.yaml --run none --set model.head=words
refused "train: labels without a head" 'model.head: expected classes' $train good.yaml --run none --set model.head=none
refused "train: a label that training has not seen" "found 'new'" $train unseen.yaml --run none
refused "train: two labels of a text" 'text 1: expected one label, found 2' $train two.yaml --run none
refused "train: fewer labels than words" 'for each of 3 words' $train words.yaml --run none --set model.head=words
refused "train: a label that is no number" "found 'bad'" $train good.yaml --run none --set model.head=number
refused "train: a score of translations for labels" 'train.metric' $train good.yaml --run none --set train.metric=bleu --set train.metric_every=1
refused "train: a metric of masked tokens" 'train.metric_every' $train masks.yaml --run none --set train.metric=perplexity --set train.metric_every=1
refused "train: segments of an encoder-decoder" "key 'model.segments'" $train masks.yaml --run none --set model.kind=encoder-decoder --set model.segments=2
refused "train: embeddings of their own size without a transform" "key 'model.output_transform'" $train masks.yaml --run none --set model.embedding_size=8 --set model.output_transform=false
refused "train: a decoder's layers in an encoder" "key 'model.decoder_layers'" $train masks.yaml --run none --set model.decoder_layers=2
refused "train: positions for less than a text" 'model.max_positions' $train masks.yaml --run none --set model.max_positions=257
refused "train: the mean of a text, of whose words there are labels" "key 'model.pooling'" $train words.yaml --run none --set model.head=words --set model.pooling=mean
refused "train: a share of masks of 0" 'train.mask_share' $train masks.yaml --run none --set train.mask_share=0
refused "fill: a text without a mask" 'text 2: expected a <mask>' $fill masks --input second.txt
refused "fill: a text longer than the model reads" 'text 1: expected at most 258 tokens' $fill masks --input long.txt
refused "fill: text that is not UTF-8" 'bytes.txt' $fill masks --input bytes.txt
refused "fill: a model of labels" 'model.head: expected none' $fill labels --input second.txt
refused "fill: no tokens" 'top-k' $fill masks --top-k 0
refused "fill: a key" 'set decode.beam=2' $fill masks --set decode.beam=2
refused "label: a model of masked tokens" 'model.head: expected classes' $label masks --input texts.txt
refused "label: fewer right labels than texts" 'found 2 and 1' $label labels --input texts.txt --expected one.txt
refused "label: vectors of another kind" 'embed' $label labels --embed max
refused "label: vectors with right labels" 'expected excludes --embed' $label labels --embed mean --expected one.txt
refused "label: everything from standard input" 'standard input' $label labels --expected -
refused "translate: an encoder" "found 'encoder'" transformer-translate --quiet --model masks --input texts.txt
refused "generate: an encoder" "found 'encoder'" transformer-generate --quiet --model masks --prompt a
refused "export: an encoder" "found model.kind encoder" transformer-export --quiet --model masks --format safetensors --output exported
finish_refusals
