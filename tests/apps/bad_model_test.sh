#!/usr/bin/env bash
# What the programs refuse of models, runs, translations and outputs: see refusals.sh.
source "$(dirname "$0")/refusals.sh"
make_experiment
transformer-train --quiet --threads 1 --config experiment.yaml --run run --set train.steps=4
transformer-prepare --quiet --config experiment.yaml --set data.vocabulary=800 --set data.prepared=smaller >prepared.log
translate="transformer-translate --quiet --threads 1"
evaluate="transformer-evaluate --threads 1"
score="transformer-score --quiet --threads 1"
ln -s nowhere dangling
printf 'good\nbad \xff\n' >latin.txt
printf 'good\nn\0ul\n' >nul.txt
: >empty.txt

# --- Models --------------------------------------------------------------------------------------------------

# list FOLDER  brings its checksums up to date, as somebody might who changed it on purpose.
list() { (cd "$1" && find . -type f ! -name checksums.sha256 -printf '%P\n' | xargs sha256sum >../sums && mv ../sums checksums.sha256); }

for program in "$translate" "$evaluate --data dev" transformer-inspect; do
  name=${program#transformer-}
  refused "${name%% *}: a model that is missing" nosuch $program --model nosuch
  refused "${name%% *}: an empty --model" model $program --model ""
done
refused "translate: a link to nowhere as model" dangling $translate --model dangling
refused "translate: a file as model" 'a file' $translate --model experiment.yaml
refused "translate: a foreign folder as model" 'with neither' $translate --model data
for file in model.safetensors optimizer.safetensors tokenizer.model config.yaml; do
  copy run/checkpoints/last flipped-$file && flip flipped-$file/$file
  refused "translate: a flipped bit in $file" "$file: damaged" $translate --model flipped-$file
done
copy run/checkpoints/last cut && truncate -s 1000 cut/model.safetensors
refused "translate: weights cut short" model.safetensors $translate --model cut
copy cut cut-listed && list cut-listed
refused "translate: weights cut short, checksums made anew" 'found 1000 bytes' $translate --model cut-listed
copy run/checkpoints/last petabytes && printf '\0\0\0\0\0\0\004\0' | dd of=petabytes/model.safetensors bs=1 conv=notrunc status=none
list petabytes
refused "translate: weights that promise petabytes" 1125899906842624 $translate --model petabytes
copy run/checkpoints/last other && sed -i 's/d_ff: 64/d_ff: 65/' other/config.yaml && list other
refused "translate: a configuration that does not fit the weights" 'shape' $translate --model other
copy run/checkpoints/last swapped && cp smaller/tokenizer.model swapped
refused "translate: the tokenizer of another model" tokenizer.model $translate --model swapped
copy swapped swapped-listed && list swapped-listed
refused "translate: the same, checksums made anew" 'shape' $translate --model swapped-listed
copy run/checkpoints/last unlisted && rm unlisted/checksums.sha256
refused "translate: a model without checksums" checksums.sha256 $translate --model unlisted
copy run/checkpoints/last leading && sed -i '1i extends: ../experiment.yaml' leading/config.yaml && list leading
refused "translate: a model whose configuration extends another" "key 'extends'" $translate --model leading
refused "inspect: a model whose configuration extends another" "key 'extends'" transformer-inspect --model leading

# broken NAME BYTES  a model whose last weight is of these bytes.
broken() {
  copy run/checkpoints/last "$1" && truncate -s -4 "$1/model.safetensors"
  printf "$2" >>"$1/model.safetensors" && list "$1"
}
broken not-a-number '\0\0\xc0\x7f'
broken infinite '\0\0\x80\xff'
for program in "$translate" "$evaluate --data dev" "$score --source data/dev.en --target data/dev.de" \
  "transformer-export --format torchscript --output new"; do
  name=${program#transformer-}
  refused "${name%% *}: weights with a NaN" 'found nan' $program --model not-a-number
  refused "${name%% *}: weights with an infinity" 'found -inf' $program --model infinite
done
copy run/checkpoints/last named
LC_ALL=C sed -i 's/"encoder.laye/"\\u0000\\u001b/' named/model.safetensors && list named
refused "translate: control characters in a weight's name" '\\x00\\x1brs.0' $translate --model named

# --- Translation ---------------------------------------------------------------------------------------------

refused "translate: an input that is missing" nosuch $translate --model run --input nosuch
refused "translate: a folder as input" directory $translate --model run --input data
refused "translate: a folder as standard input" 'standard input' bash -c "$translate --model run <data"
refused "translate: an input that is not UTF-8" 'latin.txt:2' $translate --model run --input latin.txt
refused "translate: a NUL byte in the input" 'nul.txt:2' $translate --model run --input nul.txt
refused "translate: more translations than hypotheses" nbest $translate --model run --nbest 9
refused "translate: a beam of none" 'error: --beam 0: expected' $translate --model run --beam 0
refused "translate: batches of nothing" 'error: --batch-tokens 0: expected' $translate --model run --batch-tokens 0
refused "translate: outputs without a bound" 'to 4096' $translate --model run --length-offset 1000000000
refused "translate: a temperature, where nothing is drawn" 'temperature requires --sample' $translate --model run --temperature 1
refused "translate: draws by a beam" 'beam excludes --sample' $translate --model run --sample --beam 4
refused "translate: draws, and a page of their search" 'explain excludes --sample' $translate --model run --sample --explain page.html
refused "translate: a temperature below 0" "temperature: expected a number from 0, found '-1'" $translate --model run --input data/dev.en --sample --temperature -1
refused "translate: draws of nothing" "samples: expected a whole number from 1 to 1000, found '0'" $translate --model run --input data/dev.en --sample --samples 0
head -n 3 data/dev.de >three
refused "translate: fewer beginnings than lines" 'three: expected a line for each line of the input' $translate --model run --input data/dev.en --prefix three
refused "translate: more beginnings than lines" 'data/test.de: expected a line for each line' $translate --model run --input data/dev.en --prefix data/test.de --output never
refused "translate: beginnings on standard input" 'prefix -: expected a file' $translate --model run --input data/dev.en --prefix -
awk 'BEGIN { for (i = 0; i < 6000; ++i) printf "house "; print "" }' >long.prefix && head -n 1 data/dev.en >one.en
refused "translate: a beginning without a bound" 'prefix 1: expected at most 5120 tokens' $translate --model run --input one.en --prefix long.prefix
refused "translate: its beginnings as output" 'data/dev.de' $translate --model run --input data/dev.en --prefix data/dev.de --overwrite --output data/dev.de
refused "translate: --set with a key of training" 'key of decode' $translate --model run --set model.heads=4
refused "translate: --attention of another kind" 'ends in .html or .json' $translate --model run --attention maps.txt
refused "translate: --attention where the output goes" 'another file' $translate --model run --output maps.json --attention maps.json
refused "translate: an output that exists" --overwrite $translate --model run --output empty.txt
transformer-average --quiet --run run --last 1 --output average
cp data/dev.en text.en && ln -s text.en text.link
refused "translate: its input as output" 'text.en' $translate --model run --input text.en --overwrite --output text.en
refused "translate: a link to its input as output" 'text.en' $translate --model run --input text.en --overwrite --output text.link
refused "translate: its input as standard output" 'text.en' bash -c "$translate --model run --input text.en >>text.en"
refused "translate: a file of the model as output" 'average/config.yaml' $translate --model average --input text.en --overwrite --output average/config.yaml
refused "translate: an output among checkpoints" 'checkpoints of a run' $translate --model run --input text.en --output run/checkpoints/text.de
refused "translate: a link to nowhere as output" --overwrite $translate --model run --output dangling
refused "translate: a folder as output" 'a folder' $translate --model run --overwrite --output data
refused "translate: an output in a missing folder" 'nosuch/new' $translate --model run --output nosuch/new
refused "translate: an output below a file" 'expected a place in a folder' $translate --model run --output empty.txt/new
failed "translate: a full disk behind standard output" 'cannot write' bash -c "$translate --model run --input data/dev.en >/dev/full"
refused "translate: a device of no such name" 'cuda:N' $translate --model run --device gpu
if ! command -v nvidia-smi >/dev/null; then
  refused "translate: CUDA where there is none" cuda $translate --model run --device cuda
  refused "translate: the third CUDA device where there is none" cuda:2 $translate --model run --device cuda:2
fi

# --- Evaluation ----------------------------------------------------------------------------------------------

refused "evaluate: nothing to evaluate" hypothesis $evaluate
refused "evaluate: a hypothesis that is missing" nosuch $evaluate --hypothesis nosuch --reference data/test.de
refused "evaluate: a reference that is missing" nosuch $evaluate --hypothesis data/test.de --reference nosuch
refused "evaluate: an empty hypothesis" empty.txt $evaluate --hypothesis empty.txt --reference data/test.de
refused "evaluate: an empty reference" empty.txt $evaluate --hypothesis data/test.de --reference empty.txt
refused "evaluate: a folder as hypothesis" folder $evaluate --hypothesis data --reference data/test.de
refused "evaluate: files of unequal length" 60 $evaluate --hypothesis data/dev.de --reference data/test.de
refused "evaluate: a hypothesis that is not UTF-8" latin.txt:2 $evaluate --hypothesis latin.txt --reference latin.txt
refused "evaluate: an unknown metric" metrics $evaluate --hypothesis data/dev.de --reference data/dev.de --metrics bleu,meteor
refused "evaluate: an unknown tokenization" tokenize $evaluate --hypothesis data/dev.de --reference data/dev.de --tokenize zh
refused "evaluate: a baseline that is missing" nosuch $evaluate --hypothesis data/dev.de --reference data/dev.de --baseline nosuch
refused "evaluate: a baseline of another length" 60 $evaluate --hypothesis data/dev.de --reference data/dev.de --baseline data/test.de
refused "evaluate: hypothesis and baseline both on standard input" baseline $evaluate --hypothesis - --reference data/dev.de --baseline -
refused "evaluate: hypothesis and reference both on standard input" 'reference -' $evaluate --hypothesis - --reference -
refused "evaluate: two references on standard input" 'another --reference' $evaluate --hypothesis data/dev.de --reference - --reference -
refused "evaluate: --set without a model" 'set data.target=fr' $evaluate --hypothesis data/dev.de --reference data/dev.de --set data.target=fr
refused "evaluate: a seed of nothing that is drawn" 'seed: expected --confidence' $evaluate --hypothesis data/dev.de --reference data/dev.de --seed 7
refused "evaluate: a model's loss with a seed" 'seed: expected --confidence' $evaluate --model run --data dev --seed 7
refused "evaluate: words for characters" 'tokenize intl: expected bleu' $evaluate --hypothesis data/dev.de --reference data/dev.de --metrics chrf --tokenize intl
refused "translate: a seed, where nothing is drawn" 'seed requires --sample' $translate --model run --seed 7
refused "evaluate: a metric twice" "'bleu' twice" $evaluate --hypothesis data/dev.de --reference data/dev.de --metrics bleu,bleu
refused "evaluate: a model's loss in lower case" lowercase $evaluate --model run --data dev --lowercase
refused "evaluate: a model's confidence" excludes $evaluate --model run --data dev --confidence
refused "evaluate: lengths that do not rise" 'rising' $evaluate --hypothesis data/dev.de --reference data/dev.de --by-length data/dev.en --lengths 10,5
refused "evaluate: a source of other sentences" 'data/test.en' $evaluate --hypothesis data/dev.de --reference data/dev.de --by-length data/test.en
refused "evaluate: lengths without a source" by-length $evaluate --hypothesis data/dev.de --reference data/dev.de --lengths 5
printf '0-0 1-1\n2?2\n' >gold.links && printf '0-0\n1-1 2?2\n' >wrong.links && printf '1?0\n\n' >unsure.links
aligned="$evaluate --alignment-reference gold.links --alignment"
refused "evaluate: an alignment without gold" alignment-reference $evaluate --alignment gold.links
refused "evaluate: a link that is no more than possible" "wrong.links:2: .*'2?2'" $aligned wrong.links
refused "evaluate: a text as alignment" 'data/dev.de:1' $aligned data/dev.de
refused "evaluate: an alignment of other sentences" 'gold.links, found 3' bash -c "printf '0-0\n\n\n' | $aligned -"
refused "evaluate: gold without a sure link" 'sure link' bash -c "printf '\n\n' | $evaluate --alignment - --alignment-reference unsure.links"
refused "evaluate: an alignment and a translation" excludes $aligned gold.links --hypothesis data/dev.de --reference data/dev.de
refused "evaluate: --model without --data" data $evaluate --model run
refused "evaluate: data that are missing" nosuch $evaluate --model run --data nosuch
refused "evaluate: a text as data" 'data set' $evaluate --model run --data data/dev.de
refused "evaluate: data of a smaller vocabulary" 800 $evaluate --model run --data smaller/dev.bin
copy prepared same-size && cp smaller/tokenizer.model same-size
refused "evaluate: data of another vocabulary of the same size" 'the vocabulary of' $evaluate --model run --data same-size/dev.bin
copy prepared flipped-data && flip flipped-data/dev.bin
transformer-prepare --quiet --config experiment.yaml --set data.source=de --set data.target=en --set data.prepared=turned \
  --set data.tokenizer=prepared/tokenizer.model >prepared.log
refused "evaluate: data of the other direction" 'found from de to en' $evaluate --model run --data turned/dev.bin
refused "evaluate: a flipped bit in the data" 'dev.bin: damaged' $evaluate --model run --data flipped-data/dev.bin
refused "evaluate: --set with a key of the model" 'key of data.prepared or train' $evaluate --model run --data dev --set model.heads=4
failed "evaluate: a full disk behind standard output" 'cannot write' bash -c "$evaluate --model run --data dev >/dev/full"

# --- Scores of given translations -----------------------------------------------------------------------------

refused "score: a source that is missing" nosuch $score --model run --source nosuch --target data/dev.de
refused "score: sides of unequal length" 'expected 40 lines, as in data/dev.en, found 60' $score --model run --source data/dev.en --target data/test.de
refused "score: both sides on standard input" 'target -' $score --model run --source - --target -
refused "score: an empty text" 'found none' $score --model run --source empty.txt --target empty.txt
refused "score: a target that is not UTF-8" latin.txt:2 $score --model run --source latin.txt --target latin.txt
refused "score: a NUL byte in a source" nul.txt:2 $score --model run --source nul.txt --target data/dev.de
for _ in {1..9000}; do printf 'ein kleiner Hund '; done >endless.txt
head -n 1 data/dev.en >one.en
refused "score: a line that no model reads" 'endless.txt:1: expected at most 5120 tokens' $score --model run --source one.en --target endless.txt
refused "score: --set with a key of training" 'key of decode' $score --model run --source one.en --target one.en --set model.heads=4
refused "score: --attention-summary of another kind" 'ends in .md or .tsv' $score --model run --source one.en --target one.en --attention-summary heads.txt
failed "score: a full disk behind standard output" 'cannot write' bash -c "$score --model run --source data/dev.en --target data/dev.de >/dev/full"

# --- Runs and averages ---------------------------------------------------------------------------------------

train="transformer-train --quiet --threads 1"
refused "train: a run that has begun" resume $train --config experiment.yaml --run run
refused "train: resumed with another model" model.dropout $train --config experiment.yaml --run run --resume --set model.dropout=0.5
refused "train: resumed without a beginning" new/config.yaml $train --run new --resume
refused "train: neither --config nor --resume" config $train --run new
refused "train: a dry run that is resumed" 'excludes --dry-run' $train --config experiment.yaml --dry-run --resume
refused "train: one process that listens" '--listen-publicly: expected processes' $train --config experiment.yaml --run new --listen-publicly
mkdir -p cut/checkpoints && cp -r run/checkpoints/step-* cut/checkpoints && sed '/eval_every/,$d' run/config.yaml >cut/config.yaml
refused "train: resumed with a configuration that was cut off" "cut/config.yaml: key 'train.eval_every': expected a value" $train --run cut --resume
ln -s nowhere lost-run
refused "train: a link to nowhere as run" 'found a link to nowhere' $train --config experiment.yaml --run lost-run
refused "train: a file as run" 'expected a folder or nothing' $train --config experiment.yaml --run empty.txt
refused "train: resumed with several other keys" "'seed' is 1, found 7; 'train.clip' is 0, found 2" \
  $train --config experiment.yaml --run run --resume --seed 7 --set train.clip=2
wait # a run has one training at a time
refused "train: resumed with another precision" --precision $train --config experiment.yaml --run run --resume --precision bf16
for side in en de; do
  head -n 1400 data/train.$side >fewer.$side
  for _ in {1..9}; do head -n 1 data/dev.$side; done | tr '\n' ' ' >long.$side
done
others="--config experiment.yaml --set data.train=fewer --set data.tokenizer=prepared/tokenizer.model --set data.prepared=others"
transformer-prepare --quiet $others >prepared.log
wait # a run has one training at a time
refused "train: resumed with other data of the same kind" train.bin $train $others --run run --resume
wait # for what would find the run locked
refused "train: a run in which another training runs" 'another training' \
  flock run/.lock $train --config experiment.yaml --run run --resume
refused "train: a run without a name" 'found nothing' $train --config experiment.yaml --run ''
refused "train: a model that no memory can hold" 'GB of memory' \
  $train --config experiment.yaml --run new --set model.d_model=1000000 --set model.d_ff=1000000 --set model.d_k=500000 --set model.d_v=500000
long="--config experiment.yaml --set data.dev=long --set data.max_tokens=30 --set data.prepared=long"
transformer-prepare --quiet $long >prepared.log
refused "train: a dev sentence beyond the learned positions" 'model.max_positions' \
  $train $long --run new --set model.positions=learned --set model.max_positions=31
copy run flipped-run && flip flipped-run/checkpoints/step-00000004/model.safetensors
refused "average: a damaged checkpoint" 'model.safetensors: damaged' transformer-average --run flipped-run --last 1 --output new
refused "average: --set with a key of training" 'expected a key of decode' transformer-average --run run --last 1 --output new --set model.heads=4
refused "average: none of the checkpoints" 'range' transformer-average --run run --last 0 --output new
refused "average: more checkpoints than there are" 'last 9' transformer-average --run run --last 9 --output new
refused "average: a run that is missing" nosuch transformer-average --run nosuch --last 1 --output new
refused "average: an output that exists" --overwrite transformer-average --run run --last 1 --output data
refused "average: a foreign folder as output" 'not replaced' transformer-average --run run --last 1 --output data --overwrite
refused "average: a checkpoint as output" 'checkpoints of a run' transformer-average --run run --last 1 --output run/checkpoints/step-00000004 --overwrite
refused "average: a link to a checkpoint as output" 'checkpoints of a run' transformer-average --run run --last 1 --output run/checkpoints/best --overwrite
refused "average: its run as output" 'run: ' transformer-average --run run --last 1 --output run --overwrite
cp -r average noted && echo mine >noted/notes.txt
refused "average: somebody's file in the output" 'noted/notes.txt: expected only' transformer-average --run run --last 1 --output noted --overwrite
cp -r average edited && echo '# mine' >>edited/config.yaml
refused "average: an output that was changed" 'edited/config.yaml: .*changed since' transformer-average --run run --last 1 --output edited --overwrite
copy run locked-run && ln -sf ../text.en locked-run/.lock
refused "train: a link in the place of the lock" 'locked-run/.lock' $train --config experiment.yaml --run locked-run --resume
export="transformer-export --quiet --model average --overwrite"
refused "export: its model as output" 'average: ' $export --format safetensors --output average
refused "export: a file of the model as output" 'average/model.safetensors' $export --format torchscript --output average/model.safetensors
refused "export: its sample as output" 'text.en: ' $export --format torchscript --sample text.en --output text.en
refused "export: --set with a key of training" 'expected a key of decode' $export --format torchscript --output new --set model.heads=4
refused "export: standard output" '--output -' $export --format torchscript --output -
refused "export: layers that no class of transformers has" 'model.embedding_norm: expected true for a BART model' $export --format huggingface --output new
sweep="transformer-sweep --quiet --threads 1 --run run --average 1"
refused "sweep: more checkpoints than there are" 'average 9' $sweep,9
refused "sweep: a damaged checkpoint" 'model.safetensors: damaged' transformer-sweep --run flipped-run --average 1
refused "sweep: a beam of none" 'range' $sweep --beam 4,0
refused "sweep: a length penalty that is no number" nan $sweep --alpha 0.6,nan
refused "sweep: a length penalty beyond all numbers" 'from 0 to 100' $sweep --alpha 1e300
refused "sweep: --set with what is varied" 'expected --beam' $sweep --set decode.beam=9
refused "sweep: --set with a key of training" 'key of data or decode' $sweep --set model.heads=4
refused "sweep: data that are missing" nothing $sweep --set data.prepared=nothing
refused "sweep: other lines in its output" experiment.yaml:1 $sweep --output experiment.yaml
printf 'my only line' >endless.txt
refused "sweep: a line without end in its output" endless.txt:1 $sweep --output endless.txt
refused "sweep: an output among checkpoints" 'checkpoints of a run' $sweep --output run/checkpoints/sweep
refused "sweep: a folder as output" 'a folder' $sweep --output data
refused "sweep: an output in a missing folder" nosuch/new $sweep --output nosuch/new
mkdir hub && echo '{"d_model": "wide", "scale_embedding": true}' >hub/config.json
mkdir old && echo '{"model_type": "t5", "vocab_size": 40}' >old/config.json && printf '\200\002}.' >old/pytorch_model.bin
mkdir torn && echo '{"d_model": ' >torn/config.json
import="transformer-import --quiet --output new"
refused "import: --set" 'expected nothing to be set' $import --model hub --set decode.beam=4
refused "import: a folder that is missing" nosuch/config.json $import --model nosuch
refused "import: a model of this project" run/config.json $import --model run
refused "import: a configuration cut short" torn/config.json $import --model torn
refused "import: a configuration with text for a number" "key 'd_model'" $import --model hub
refused "import: weights in a pickle" 'pytorch_model.bin' $import --model old
mkdir t5 umt5 electra albert && echo '{"model_type": "t5", "vocab_size": 40, "relative_attention_num_buckets": 16}' >t5/config.json
echo '{"model_type": "umt5"}' >umt5/config.json && echo '{"model_type": "electra"}' >electra/config.json
echo '{"model_type": "albert", "architectures": ["AlbertForMultipleChoice"]}' >albert/config.json
refused "import: other buckets of distances" "key 'relative_attention_num_buckets'" $import --model t5
refused "import: an architecture that is not known" "key 'model_type'" $import --model umt5
refused "import: an encoder that is not known" "key 'model_type'" $import --model electra
refused "import: a class of an encoder that is not known" "key 'architectures'" $import --model albert
refused "import: tensors without a mapping" 'expected --mapping' $import --model average/model.safetensors
echo 'tensors: [{from: "(", to: x}]' >broken.yaml
refused "import: a mapping with a broken expression" broken.yaml $import --model average/model.safetensors --mapping broken.yaml
refused "import: a mapping beside a tokenizer" "tokenizer: expected none" $import --model average/model.safetensors --mapping broken.yaml --tokenizer text.en
refused "translate: a language that the model lacks" "target-language fr: expected a language" $translate --model run --target-language fr
refused "import: an output that exists" --overwrite transformer-import --model hub --output data
refused "import: its model as output" 'hub: ' transformer-import --model hub --output hub --overwrite
refused "import: a foreign folder as output" 'not replaced' transformer-import --model hub --output data --overwrite

if can_be_nobody; then
  mkdir locked && chmod 000 locked
  refused "translate: a model without permission" 'Permission denied' as_nobody $translate --model locked
  refused "translate: an output without permission" 'Permission denied' as_nobody $translate --model run --output locked/new
  refused "train: a run without permission" 'Permission denied' as_nobody $train --config experiment.yaml --run locked/new
fi
wait

# Not in the table, since it says nothing.
status=0
yes 'a small dog' | head -n 3000 | $translate --model run 2>error | true || status=${PIPESTATUS[2]}
[ "$status" = 1 ] && [ ! -s error ] || fail "a closed pipe: status $status, $(cat error)"
finish_refusals
