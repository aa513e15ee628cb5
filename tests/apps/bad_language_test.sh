#!/usr/bin/env bash
# What the programs refuse of language models, their texts and models of llama2.c: see refusals.sh.
source "$(dirname "$0")/refusals.sh"
transformer-demo-corpus --output sentences --train 200 --dev 20 --test 5 --seed 3 >corpus.log
cp sentences/train.en train.txt && cp sentences/dev.en dev.txt && head -c 10 train.txt >short.txt && : >empty.txt
cat >text.yaml <<'YAML'
data: {examples: documents, document: file, block: 32, train: train.txt, dev: dev.txt, prepared: prepared,
  tokenizer_kind: characters, normalization: identity}
model: {kind: decoder, layers: 1, d_model: 16, d_ff: 16, heads: 2, d_k: 8, d_v: 8, positions: learned, max_positions: 32}
train: {steps: 2, sentences: 4, label_smoothing: 0}
YAML
transformer-prepare --quiet --config text.yaml >prepare.log
transformer-train --quiet --threads 1 --config text.yaml --run run 2>train.log
transformer-prepare --quiet --config text.yaml --set data.train=short.txt --set data.prepared=little >prepare.log 2>&1
printf 'no model' >other.bin && printf 'x' >tokenizer.bin
generate="transformer-generate --quiet --threads 1 --model run"
prepare="transformer-prepare --quiet --config text.yaml --set data.prepared=none"

refused "prepare: an empty text" 'empty.txt: expected documents' $prepare --set data.train=empty.txt
refused "prepare: a rare character" 'data.min_frequency: expected at most' $prepare --set data.min_frequency=100000
refused "prepare: bytes with a frequency" "expected 1 where data.tokenizer_kind is bytes, found '2'" \
  $prepare --set data.tokenizer_kind=bytes --set data.min_frequency=2
refused "train: a text shorter than a block" 'train.bin' transformer-train --quiet --config text.yaml --run none --set data.train=short.txt --set data.prepared=little
refused "train: a decoder without room for a block" 'model.max_positions' transformer-train --quiet --config text.yaml --run none --set model.max_positions=31
refused "train: an encoder of a decoder" "key 'model.encoder_layers'" transformer-train --quiet --config text.yaml --run none --set model.encoder_layers=2
refused "translate: a language model" "expected a model that maps a source to a target, found 'decoder'" transformer-translate --quiet --model run --input dev.txt
refused "generate: a prompt longer than the model reads" 'prompt 1: expected at most 32 tokens' $generate --prompt "$(head -c 60 train.txt | tr '\n' ' ')"
refused "generate: a temperature below 0" "temperature: expected a number from 0, found '-1'" $generate --prompt The --temperature -1
refused "generate: a top-p of 0" "top-p: expected a number above 0, at most 1, found '0'" $generate --prompt The --top-p 0
refused "generate: an empty text to stop at" 'stop: expected a text, found an empty one' $generate --prompt The --stop ""
refused "generate: a prompt and a file of prompts" 'prompt excludes --input' $generate --prompt The --input dev.txt
refused "generate: draws by a beam" 'temperature excludes --beam' $generate --prompt The --temperature 0.5 --beam 2
refused "generate: samples of a beam" 'samples excludes --beam' $generate --prompt The --samples 3 --beam 2
refused "generate: a beam that stops at words" 'stop excludes --beam' $generate --prompt The --stop x --beam 2
refused "generate: a beam over a window that slides" 'slide excludes --beam' $generate --prompt The --slide --beam 2
refused "generate: a beam of none" 'beam 0: expected' $generate --prompt The --beam 0
refused "generate: more texts than hypotheses" 'nbest 3: expected at most' $generate --prompt The --beam 2 --nbest 3
refused "generate: a length penalty without a beam" 'alpha requires --beam' $generate --prompt The --alpha 1
refused "generate: a page of a search that is none" 'explain requires --beam' $generate --prompt The --explain page.html
refused "generate: a search page of no known kind" "ends in .html or .json, found 'page.txt'" $generate --prompt The --beam 2 --explain page.txt
refused "generate: a beam too wide to draw" 'expected a beam of at most 16, found 17' $generate --prompt The --beam 17 --explain page.html
head -n 21 train.txt >many
refused "generate: too many prompts to explain" 'many: expected at most 20 lines for --explain' $generate --input many --beam 2 --explain page.html
refused "generate: attention of a text that slid away" 'slide excludes --attention' $generate --prompt The --slide --attention maps.html
refused "generate: texts and attention in one file" 'both.json: expected another file' $generate --prompt The --output both.json --attention both.json
refused "generate: --set with a key of training" 'key of decode' $generate --prompt The --set model.heads=4
refused "score: alignments of a language model" 'alignments: expected a model with attention over a source' \
  transformer-score --quiet --threads 1 --model run --target many --alignment links --alignment-heads 1:1
refused "generate: no file of prompts" 'nosuch: cannot be read' $generate --input nosuch
refused "import: a file that is no model" 'other.bin: expected a model of llama2.c' transformer-import --quiet --model other.bin --output imported
refused "import: a folder with a tokenizer" 'expected a file of llama2.c as --model' transformer-import --quiet --model run --tokenizer tokenizer.bin --output imported
theirs() { # FOLDER JSON: of a folder of transformers the configuration alone
  mkdir "$1" && echo "$2" >"$1/config.json"
}
llama='"vocab_size": 300, "hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2'
theirs other '{"model_type": "qwen3"}'
theirs scaled "{\"model_type\": \"llama\", $llama, \"rope_scaling\": {\"rope_type\": \"llama3\", \"factor\": 8}}"
theirs window "{\"model_type\": \"mistral\", $llama, \"max_position_embeddings\": 64, \"sliding_window\": 32}"
theirs empty "{\"model_type\": \"llama\", $llama}"
import="transformer-import --quiet --output imported --model"
refused "import: a model of another type" "expected albert, bart, bert, distilbert, gemma, gpt2, llama" $import other
refused "import: scaled rotary positions" "key 'rope_scaling': expected rotary positions of the type default" $import scaled
refused "import: a sliding window" "key 'sliding_window': expected nothing, or at least" $import window
refused "import: a folder without weights" 'empty/model.safetensors: cannot be read' $import empty
refused "export: a decoder that no class of transformers is" 'model.norm: expected pre for GPT2LMHeadModel, found post' \
  transformer-export --quiet --model run --format huggingface --output exported
refused "export: a language model" 'expected an encoder-decoder, found model.kind decoder' transformer-export --quiet --model run --format safetensors --output exported
refused "export: other layers than Llama's as GGUF" 'model.positions: expected rotary for GGUF' \
  transformer-export --quiet --model run --format gguf --output exported
refused "export: a precision that the format lacks" 'expected fp32 for the format ctranslate2' \
  transformer-export --quiet --model run --format ctranslate2 --precision int8 --output exported
wait
for file in none imported exported links page.html maps.html both.json; do [ ! -e $file ] || fail "$file is left of what was refused"; done
finish_refusals
