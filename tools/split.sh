#!/usr/bin/env bash
# split.sh FILE FOLDER [PAIRS [SENTENCES]]  splits tab-separated pairs into FOLDER/train, dev and test, .en and .fr.
# The pairs have English first, as in fra-eng's fra.txt of https://www.manythings.org/anki. dev and test have
# 2 000 English sentences each (or SENTENCES), with their first translations. train has all pairs of the
# others, or as many as PAIRS says (0: all). So no sentence of dev or test is in train with another
# translation. A hash of a sentence decides its set: the same file gives the same split everywhere.
set -euo pipefail
stop() {
  echo "split.sh: $*" >&2
  exit 2
}
[ $# -ge 2 ] && [ $# -le 4 ] || stop "expected FILE FOLDER [PAIRS [SENTENCES]], found $# arguments"
file=$1 folder=$2 pairs=${3:-0} heldout=${4:-2000}
[ -f "$file" ] && [ -r "$file" ] || stop "$file: cannot be read"
[[ $pairs =~ ^[0-9]+$ ]] || stop "PAIRS: expected a whole number, found $pairs"
[[ $heldout =~ ^[1-9][0-9]*$ ]] || stop "SENTENCES: expected a whole number above 0, found $heldout"
export LC_ALL=C # bytes
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
rows=$new/rows
awk -F '\t' '
  BEGIN { for (i = 1; i < 256; ++i) code[sprintf("%c", i)] = i }
  NF < 2 || $1 == "" || $2 == "" {
    printf "%s:%d: expected two sentences with a tab between them, found %s\n", FILENAME, NR, $0 >"/dev/stderr"
    exit 2
  }
  { hash = 7
    for (i = 1; i <= length($1); ++i) hash = (hash * 131 + code[substr($1, i, 1)]) % 2147483647
    printf "%010d\t%s\t%s\n", hash, $1, $2 }' "$file" >"$rows"
sentences=$(cut -f 2 "$rows" | sort -u | wc -l)
[ "$sentences" -gt $((2 * heldout)) ] ||
  stop "$file: expected more than $((2 * heldout)) different English sentences, of which dev and test take that many, found $sentences"
mkdir -p "$folder"
# By way of $new: what is there and says otherwise is somebody's.
sort --stable --key=1,1 --key=2,2 --field-separator="$(printf '\t')" "$rows" |
  awk -F '\t' -v folder="$new" -v pairs="$pairs" -v heldout="$heldout" '
    { again = $2 == last; last = $2; sentences += !again }
    sentences <= 2 * heldout {
      if (!again) put(sentences <= heldout ? "dev" : "test")
      next
    }
    pairs == 0 || trained < pairs { ++trained; put("train") }
    function put(part) {
      print $2 >(folder "/" part ".en")
      print $3 >(folder "/" part ".fr")
    }
    END { printf "%d pairs for training, %d for dev, %d for test\n", trained, heldout, heldout >(folder "/said") }'
files=("$new"/{train,dev,test}.{en,fr})
for file in "${files[@]}"; do
  there=$folder/$(basename "$file")
  [ ! -e "$there" ] || cmp -s "$file" "$there" ||
    stop "$there: expected nothing or the same text, found another file, which is not replaced"
done
cp "${files[@]}" "$folder"
echo "$folder: $(cat "$new/said")"
