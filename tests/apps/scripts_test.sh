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

# --- Splitting tables of pairs --------------------------------------------------------------------------------

awk 'BEGIN { for (i = 0; i < 1200; ++i) printf "word %d\tmot %d\n", i, i }' >pairs.tsv
split=$source_dir/tools/split.sh
$split pairs.tsv split 0 10 >first && $split pairs.tsv split 0 10 | cmp - first || fail "a split again: $(cat first)"
refused 'split/train.en: expected nothing or the same text' $split pairs.tsv split 100 10
mkdir mixed && cp pairs.tsv mixed/dev.fr
refused 'mixed/dev.fr: expected nothing or the same text' $split mixed/dev.fr mixed 0 10

chapter=$source_dir/tools/chapter.sh
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
