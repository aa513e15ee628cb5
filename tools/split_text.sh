#!/usr/bin/env bash
# split_text.sh FILE FOLDER  Writes the first nine tenths of FILE to FOLDER/train.txt and the rest to
# FOLDER/dev.txt. FILE may be compressed by gzip. The cut is by bytes, as nanoGPT's, and goes on to the next
# line's begin where `--lines` is given as a third argument. Only what an earlier call wrote is replaced.
set -euo pipefail
[ $# -ge 2 ] || { echo "usage: split_text.sh FILE FOLDER [--lines]" >&2 && exit 2; }
file=$1 folder=$2
[ -f "$file" ] && [ -r "$file" ] || { echo "error: $file: cannot be read" >&2 && exit 2; }
export LC_ALL=C # bytes
mkdir -p "$folder"
new=$(mktemp -d "$folder/.new-XXXXXX")
trap 'rm -rf "$new"' EXIT
gzip -cdf -- "$file" >"$new/all"
size=$(wc -c <"$new/all")
first=$((size * 9 / 10))
if [ "${3:-}" = --lines ]; then
  rest=$(tail -c +$((first + 1)) "$new/all" | { head -n 1 && cat >/dev/null; } | wc -c) # to the end: no broken pipe
  first=$((first + rest))
fi
head -c "$first" "$new/all" >"$new/train.txt"
tail -c +$((first + 1)) "$new/all" >"$new/dev.txt"
[ -s "$new/dev.txt" ] || { echo "error: $file: expected a text to cut in two, found $size bytes" >&2 && exit 2; }
for part in train.txt dev.txt; do
  cmp -s "$new/$part" "$folder/$part" && continue
  if [ -e "$folder/$part" ] && ! (cd "$folder" && sha256sum "./$part" | grep -qxFf - .written 2>/dev/null); then
    echo "error: $folder/$part: expected nothing or what this script wrote, found another file, which is not replaced" >&2
    exit 2
  fi
  (cd "$new" && sha256sum "./$part") >>"$folder/.written"
  mv "$new/$part" "$folder/$part"
done
