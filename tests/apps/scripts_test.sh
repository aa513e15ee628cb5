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

# --- Splitting labelled phrases -------------------------------------------------------------------------------

phrases=$source_dir/tools/split_phrases.sh
awk 'BEGIN {
  print "sentence\tlabel"
  for (i = 0; i < 200; ++i) {
    printf "it is film %d , and a good one\t%d\n", i, i % 2
    printf "film %d\t%d\nfilm %d , and \t%d\n", i, i % 2, i, i % 2
  }
  print "a good one\t1"
}' >phrases.tsv
$phrases phrases phrases.tsv >first && $phrases phrases phrases.tsv | cmp - first || fail "phrases split again: $(cat first)"
[ "$(cat phrases/{train,dev}.tsv | grep -c '^a good one')" = 0 ] || fail "a phrase of several sentences"
sentences=$(wc -l <phrases/dev.tsv)
[ "$sentences" -gt 5 ] && [ "$(grep -c '^it is film' phrases/train.tsv)" = $((200 - sentences)) ] &&
  [ "$(wc -l <phrases/train.tsv)" = $((3 * (200 - sentences))) ] || fail "phrases: $(cat first), $sentences of dev"
for film in $(cut -d ' ' -f 4 phrases/dev.tsv); do
  ! grep -q "film $film\b" phrases/train.tsv || fail "a phrase of a sentence of dev, of film $film, in train"
done
$phrases --fold 3 others phrases.tsv >/dev/null || fail "another tenth"
[ "$(sort phrases/dev.tsv others/dev.tsv | uniq -d | wc -l)" = 0 ] && [ -s others/dev.tsv ] || fail "tenths share sentences"
refused "--fold: expected a number from 0 to 9, found 10" $phrases --fold 10 tenth phrases.tsv
head -n 100 phrases.tsv >fewer.tsv
refused "phrases/train.tsv: expected nothing or the same text" $phrases phrases fewer.tsv
echo "one column" >broken.tsv
refused "broken.tsv:1: expected a phrase, a tab and a label" $phrases other broken.tsv

# --- A folder for Python's packages ---------------------------------------------------------------------------

mkdir environment && echo mine >environment/notes
refused 'environment: expected nothing or a Python environment' bash "$source_dir/tests/python_environment.sh" environment
finish
