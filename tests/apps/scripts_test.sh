#!/usr/bin/env bash
# The scripts that write into a folder replace and delete nothing that is not their own.
source "$(dirname "$0")/common.sh"

# refused PATTERN COMMAND…  with status 2 or with a word, and everything that was there stays as it is.
refused() {
  local pattern=$1 status=0
  shift
  find . -type f ! -name 'said.*' -exec sha256sum {} + | sort >said.before
  "$@" >said.out 2>said.errors || status=$?
  says "$pattern" <said.errors || fail "$*: status $status, $(cat said.errors)"
  find . -type f ! -name 'said.*' -exec sha256sum {} + | sort | comm -23 said.before - >said.lost
  [ ! -s said.lost ] || fail "$*: lost $(cat said.lost)"
  [ -z "$(find . -name '.partial-*' -o -name '.new-*')" ] || fail "$*: something is left over"
}

# --- docs/runs.sh: an experiment may be called partial, and what is kept may have something beside it -----------

# run_of NAME  a finished run, as far as the script looks.
run_of() {
  mkdir -p "$1/train"
  printf 'train:\n  steps: 4\n' >"$1/config.yaml"
  printf '{\n "precision": "fp32",\n "trained": 4,\n "decoded": "mean of 1 checkpoints at step 4, so"\n}\n' >"$1/run.json"
  echo '{"step":4,"split":"dev"}' >"$1/train/metrics.jsonl"
  echo Hund >"$1/dev.translation"
}
runs=$source_dir/docs/runs.sh
for name in base partial wide; do run_of out/$name/seed-1; done
[ "$($runs keep out kept | wc -l)" = 3 ] && [ -e kept/partial/seed-1/run.json ] || fail "kept: $(find kept)"
run_of out/other/seed-1
$runs keep out kept >/dev/null && [ -e kept/partial/seed-1/run.json ] || fail "an experiment called partial went: $(find kept)"
[ "$($runs take taken kept | wc -l)" = 4 ] && rm -r taken/wide && $runs take taken kept >/dev/null
[ -e taken/partial/seed-1/run.json ] && [ -e taken/wide/seed-1/run.json ] || fail "taken: $(find taken)"
[ "$(stat -c %a kept/base/seed-1)" = "$(stat -c %a kept/base)" ] || fail "a folder that others cannot read"
# The test set came later. Notes beside it stay, and another run of that name does, too.
for name in base wide; do
  echo Katze >out/$name/seed-1/test.translation
  sed -i 's/^ "decoded"/ "tested": "so",\n&/' out/$name/seed-1/run.json
done
echo mine >kept/base/seed-1/notes && echo Maus >kept/wide/seed-1/dev.translation
$runs keep out kept 2>said.errors >/dev/null
says 'kept/wide/seed-1: expected the run of out/wide/seed-1, found another one' <said.errors || fail "$(cat said.errors)"
[ -e kept/base/seed-1/test.translation ] && [ -e kept/base/seed-1/notes ] || fail "the test set's: $(find kept)"
[ ! -e kept/wide/seed-1/test.translation ] && [ "$(cat kept/wide/seed-1/dev.translation)" = Maus ] || fail "another run was mixed with"

# --- Splitting tables of pairs --------------------------------------------------------------------------------

awk 'BEGIN { for (i = 0; i < 1200; ++i) printf "word %d\tmot %d\n", i, i }' >pairs.tsv
split=$source_dir/configs/table3-mini/split.sh
$split pairs.tsv split 0 10 >first && $split pairs.tsv split 0 10 | cmp - first || fail "a split again: $(cat first)"
refused 'split/train.en: expected nothing or the same text' $split pairs.tsv split 100 10
mkdir mixed && cp pairs.tsv mixed/dev.fr
refused 'mixed/dev.fr: expected nothing or the same text' $split mixed/dev.fr mixed 0 10

chapter=$source_dir/configs/chapter/run.sh
mkdir -p own/data && cp pairs.tsv own/data/train.tsv
refused 'own/data/train.tsv: expected nothing or what this script wrote' $chapter own/data/train.tsv own
awk 'BEGIN { for (i = 0; i < 3000; ++i) print "Go.\tVa !" }' >equal.tsv
refused 'none of these has, found none in 1999' $chapter equal.tsv equal
head -n 1001 pairs.tsv >few.tsv
refused 'expected more than 1001 pairs, found 1001' $chapter few.tsv few

# --- A folder for Python's packages ---------------------------------------------------------------------------

mkdir environment && echo mine >environment/notes
refused 'environment: expected nothing or a Python environment' bash "$source_dir/tests/python_environment.sh" environment
finish
