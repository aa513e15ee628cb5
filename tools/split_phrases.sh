#!/usr/bin/env bash
# split_phrases.sh [--fold N] FOLDER FILE…  splits labelled phrases, lines of "phrase TAB label" such as SST-2's, into
# FOLDER/train.tsv and dev.tsv, so that no phrase of dev's sentences is in train. A phrase belongs to the longest phrase
# that contains it, a sentence; one that several sentences contain is left out. A hash of the sentence decides for it and its
# phrases: a tenth of the sentences is dev, the tenth number N from 0 to 9 (0). train.tsv has all phrases of its sentences,
# dev.tsv the sentences alone. A first line "sentence TAB label" is a header. The same files give the same split everywhere.
set -euo pipefail
stop() {
  echo "split_phrases.sh: $*" >&2
  exit 2
}
fold=0
if [ "${1:-}" = --fold ]; then
  [[ ${2:-} =~ ^[0-9]$ ]] || stop "--fold: expected a number from 0 to 9, found ${2:-nothing}"
  fold=$2
  shift 2
fi
[ $# -ge 2 ] || stop "expected FOLDER FILE…, found $# arguments"
folder=$1
shift
for file in "$@"; do [ -f "$file" ] && [ -r "$file" ] || stop "$file: cannot be read"; done
export LC_ALL=C # bytes
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
awk -F '\t' '
  FNR == 1 && $1 == "sentence" { next }
  NF != 2 || $1 == "" || $2 == "" {
    printf "%s:%d: expected a phrase, a tab and a label, found %s\n", FILENAME, FNR, $0 >"/dev/stderr"
    exit 2
  }
  { sub(/ +$/, "", $1); printf "%d\t%s\t%s\n", split($1, words, " "), $1, $2 }' "$@" |
  sort -t "$(printf '\t')" -k 1,1nr -k 2,2 -u >"$new/rows"
# Longest first: who contains a phrase has been seen before it.
awk -F '\t' -v folder="$new" -v fold="$fold" '
  BEGIN { for (i = 1; i < 256; ++i) code[sprintf("%c", i)] = i }
  { label[$2] = $3; order[++count] = $2 }
  END {
    for (i = 1; i <= count; ++i) {
      phrase = order[i]
      if (phrase in owner) continue
      owner[phrase] = phrase
      hash = 7
      for (j = 1; j <= length(phrase); ++j) hash = (hash * 131 + code[substr(phrase, j, 1)]) % 2147483647
      held_out[phrase] = hash % 10 == fold
      n = split(phrase, words, " ")
      for (first = 1; first <= n; ++first) {
        part = ""
        for (last = first; last <= n; ++last) {
          part = part (part == "" ? "" : " ") words[last]
          if (!(part in label) || part == phrase) continue
          if (part in owner && owner[part] != phrase) owner[part] = ""
          else owner[part] = phrase
        }
      }
    }
    for (i = 1; i <= count; ++i) {
      phrase = order[i]
      sentence = owner[phrase]
      if (sentence == "") { ++shared; continue }
      if (!held_out[sentence]) { ++trained; print phrase "\t" label[phrase] >(folder "/train.tsv") }
      else if (sentence == phrase) { ++heldout; print phrase "\t" label[phrase] >(folder "/dev.tsv") }
    }
    printf "%d phrases for training, %d sentences for dev, %d phrases of several sentences left out\n", trained, heldout, shared
  }' "$new/rows" >"$new/said"
[ -s "$new/train.tsv" ] && [ -s "$new/dev.tsv" ] || stop "$1: expected phrases for train and dev, found $(cat "$new/said")"
mkdir -p "$folder"
for name in train dev; do
  there=$folder/$name.tsv
  [ ! -e "$there" ] || cmp -s "$new/$name.tsv" "$there" ||
    stop "$there: expected nothing or the same text, found another file, which is not replaced"
done
for name in train dev; do cp "$new/$name.tsv" "$folder/$name.tsv"; done
echo "$folder: $(cat "$new/said")"
