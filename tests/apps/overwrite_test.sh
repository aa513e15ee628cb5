#!/usr/bin/env bash
# What --overwrite replaces, and what it never does; inputs and outputs that are no files.
source "$(dirname "$0")/common.sh"
make_experiment
transformer-train --quiet --threads 1 --config experiment.yaml --run run
translate="transformer-translate --quiet --threads 1 --beam 1 --length-offset 0 --model run"
average="transformer-average --quiet --run run --last 2"
export="transformer-export --quiet --model run --sentences 2"
head -n 5 data/test.en >source
$translate <source >native

# refuse PATTERN COMMAND…  with status 2 and one line; no file of any kind changes.
refuse() {
  local pattern=$1 status=0
  shift
  find . -type f ! -name 'refused.*' -exec sha256sum {} + | sort >refused.before
  "$@" >refused.out 2>refused.err </dev/null || status=$?
  find . -type f ! -name 'refused.*' -exec sha256sum {} + | sort >refused.after
  [ $status = 2 ] && [ "$(wc -l <refused.err)" = 1 ] && grep -q -- "$pattern" refused.err ||
    fail "status $status, '$(cat refused.err)': $*"
  cmp refused.before refused.after || fail "something changed: $*"
}

# --- What killed programs left ----------------------------------------------------------------------------------

echo half >.out.partial-1-1 && mkdir .kept.partial-1-2 && echo half >.kept.partial-1-2/model.safetensors
$translate --input source --output out && cmp out native || fail "beside what a killed translation left"
$average --output kept
[ -z "$(ls -d .*.partial-* 2>/dev/null)" ] || fail "what killed programs left stays: $(ls -d .*.partial-*)"
rm -r out kept

# --- Folders -------------------------------------------------------------------------------------------------

$average --output model
$average --output model --overwrite || fail "an unchanged model is replaced"
mkdir model/.git && echo mine >model/.git/config
refuse 'model/.git: expected only what these programs wrote' $average --output model --overwrite
rm -r model/.git && echo mine >>model/config.yaml
refuse 'model/config.yaml: .*changed since' $average --output model --overwrite
rm -r model
mkdir far && $average --output far/model && ln -s far/model link
$average --output link --overwrite || fail "through a link"
[ -L link ] && [ -d far/model ] || fail "the link stays a link"
for place in last best step-00000012 new; do
  refuse 'checkpoints of a run' $average --output run/checkpoints/$place --overwrite
done
ln -s run/checkpoints shortcut
refuse 'checkpoints of a run' $average --output shortcut/new
refuse 'in it: it is not replaced' $average --output run --overwrite

for format in safetensors marian ctranslate2; do
  $export --format $format --output $format >proof || fail "$format"
  (cd $format && sha256sum --quiet -c checksums.sha256) || fail "$format: checksums"
  $export --format $format --output $format --overwrite >proof || fail "$format: an unchanged export is replaced"
  echo mine >$format/README.md
  refuse "$format/README.md: expected only" $export --format $format --output $format --overwrite
  rm $format/README.md
done
refuse 'marian: .*not replaced' transformer-import --model marian --output marian --overwrite
refuse 'not replaced' transformer-import --model marian/. --output ../"${PWD##*/}"/marian --overwrite
cp -r far/model copy
refuse 'copy: .*not replaced' transformer-export --quiet --model copy --format safetensors --output copy --overwrite
transformer-import --quiet --model marian --output imported
transformer-import --quiet --model marian --output imported --overwrite || fail "an unchanged import is replaced"

# --- Trainings -----------------------------------------------------------------------------------------------

train="transformer-train --quiet --threads 1 --config experiment.yaml --set train.steps=20"
for resume in "" --resume; do
  refuse 'checkpoints of a run' $train --run run/checkpoints/last $resume
  refuse 'copy: expected a training.s folder or none, found config.yaml' $train --run copy $resume
done
mkdir mine && cp experiment.yaml mine/config.yaml
refuse 'mine: expected a training.s folder or none' transformer-train --quiet --config mine/config.yaml --set data.prepared=prepared --run mine --resume

# --- Files ---------------------------------------------------------------------------------------------------

refuse 'source: .*not replaced' $translate --input source --output source --overwrite
ln -s source source-link && ln source source-hard
refuse 'not replaced' $translate --input source --output source-link --overwrite
refuse 'not replaced' $translate --input source-hard --output source --overwrite
refuse 'not replaced' bash -c "$translate <source >>source"
refuse 'not replaced' bash -c "$translate --output source --overwrite <source"
refuse 'one of the files in' transformer-translate --quiet --model far/model --input source --output far/model/config.yaml --overwrite
refuse 'checkpoints of a run' $translate --input source --output run/checkpoints/translation
refuse 'source: .*not replaced' $export --format torchscript --sample source --output source --overwrite
refuse 'data/dev.en: .*not replaced' $export --format torchscript --output data/dev.en --overwrite
refuse 'found a folder' $export --format torchscript --output data --overwrite
refuse 'one of the files in' transformer-export --quiet --model far/model --format torchscript --output far/model/model.safetensors --overwrite
refuse 'output -: expected a name' $export --format torchscript --output -
echo old >target && ln -s target target-link
$translate --input source --output target-link --overwrite || fail "a file through a link"
[ -L target-link ] && cmp target native || fail "the target of the link is replaced"

# --- Dashes, pipes and devices -------------------------------------------------------------------------------

same() { cmp "$1" native || fail "$2"; }
$translate --input - --output - <source >out && same out "dashes"
$translate --input /dev/stdin --output /dev/stdout <source | cat >out && same out "the names of standard input and output"
echo before >out && $translate --input source --output /dev/stdout >>out
[ "$(head -n 1 out)" = before ] && tail -n +2 out | cmp - native || fail "what is appended to"
$translate --input source --output /dev/null && [ -c /dev/null ] || fail "/dev/null"
mkfifo pipe && cat pipe >out &
until [ -p pipe ]; do sleep 0.01; done
$translate --input source --output pipe
wait
same out "a named pipe" && [ -p pipe ] || fail "the pipe is still one"
$translate --input <(cat source) --output >(cat >out) && sleep 0.2 && same out "process substitution"
rm pipe
[ ! -e - ] || fail "a file called -"
$export --format torchscript --sample - --output model.pt <source | says 'on 2 sentences: standard input' || fail "a sample from a pipe"

# --- Sweeps --------------------------------------------------------------------------------------------------

sweep="transformer-sweep --quiet --threads 1 --run run --average 1 --beam 1"
for text in 'my only line' '{"average": "my own"}' '{"mine": '; do
  printf %s "$text" >lines
  refuse 'lines:1: expected a result' $sweep --output lines
done
rm lines && $sweep --output lines >/dev/null
truncate -s -1 lines && cp lines before && ln -s lines lines-link
$sweep --output lines-link >/dev/null
[ -L lines-link ] && [ "$(cat before)" = "$(cat lines)" ] || fail "a result without line end is measured again"
echo 'my notes' >>lines
refuse 'lines:2: expected a result' $sweep --output lines
$sweep --output - | says '^{"average":1' || fail "a sweep's results on standard output"

# --- The demo's corpus ---------------------------------------------------------------------------------------

mkdir own && echo mine >own/dev.de
refuse 'own/dev.de: expected' transformer-demo-corpus --output own --train 20 --dev 5 --test 5
transformer-demo-corpus --output own --train 20 --dev 5 --test 5 --overwrite >/dev/null || fail "a corpus that is to be replaced"
finish
