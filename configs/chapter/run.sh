#!/usr/bin/env bash
# run.sh FILE FOLDER  The experiment of chapter.yaml on FILE (tab-separated pairs, English first, as in fra-eng's fra.txt;
# it may be compressed by gzip), with all that it makes in FOLDER: it splits, prepares, trains, translates and scores. The
# first 1 001 pairs are for training; held out are the next 500 English sentences that none of these has, each with the
# first of its translations. Run again, it goes on where it stopped, or shows the results again. The programs are those
# of the PATH; further arguments go to each transformer-train, such as --set train.epochs=3.
set -euo pipefail
[ $# -ge 2 ] || { echo "usage: run.sh FILE FOLDER [ARGUMENT OF transformer-train…]" >&2 && exit 2; }
file=$1 folder=$2
shift 2
[ -f "$file" ] && [ -r "$file" ] || { echo "error: $file: cannot be read" >&2 && exit 2; }
config=$(dirname "${BASH_SOURCE[0]}")/chapter.yaml
export LC_ALL=C # bytes
mkdir -p "$folder/data"
folder=$(cd "$folder" && pwd)
new=$(mktemp -d "$folder/data/.new-XXXXXX")
trap 'rm -rf "$new"' EXIT
settings=(--set "data.train=$folder/data/train.tsv" --set "data.dev=$folder/data/heldout.tsv" --set "data.prepared=$folder/prepared")

# put NAME  standard input becomes data/NAME. Only what an earlier call has put there is replaced: .written lists it.
put() {
  local file=$folder/data/$1
  cat >"$new/$1"
  if cmp -s "$new/$1" "$file"; then return; fi
  if [ -e "$file" ] && ! (cd "$folder/data" && sha256sum "./$1" | grep -qxFf - .written 2>/dev/null); then
    echo "error: $file: expected nothing or what this script wrote, found another file, which is not replaced" >&2 && exit 2
  fi
  (cd "$new" && sha256sum "./$1") >>"$folder/data/.written"
  mv "$new/$1" "$file"
}

gzip -cdf -- "$file" | awk -F '\t' -v folder="$new" '
  NR <= 1001 { print >(folder "/pairs"); trained[tolower($1)]; next }
  heldout < 500 && !(tolower($1) in trained) { trained[tolower($1)]; ++heldout; print >(folder "/others") }
  END {
    if (NR <= 1001) print "error: expected more than 1001 pairs, found " NR >"/dev/stderr"
    else if (!heldout)
      print "error: expected pairs behind the first 1001 with English sentences that none of these has, found none in " NR - 1001 >"/dev/stderr"
    if (!heldout) exit 2
  }'
put train.tsv <"$new/pairs"
put heldout.tsv <"$new/others"

transformer-prepare --config "$config" "${settings[@]}" --quiet
transformer-train --config "$config" "${settings[@]}" --run "$folder/run" --resume --quiet --threads 1 "$@"
model=$folder/run/checkpoints/last

# metrics NAME SPLIT  epoch and value of each line of the run's metrics that has them.
metrics() {
  awk -v name="\"$1\":" -v part="\"split\":\"$2\"" '
    function number(of,   at) { at = index($0, of); return at ? substr($0, at + length(of)) + 0 : "" }
    index($0, part) { printf "%d %s\n", number("\"epoch\":"), number(name) }' "$folder/run/metrics.jsonl"
}

echo
echo "epoch   loss of a token, training   held out"
{ metrics loss train | sed 's/^/train /'; metrics loss dev | sed 's/^/dev /'; } | awk '
  $1 == "train" { train[$2] = $3; last = $2 }
  $1 == "dev" { dev[$2] = $3 }
  END { for (epoch = 1; epoch <= last; ++epoch)
      if ((epoch in train) && (epoch in dev || epoch == 1 || epoch == 2 || epoch == 5 || epoch == last))
        printf "%5d %27.4f %10s\n", epoch, train[epoch], (epoch in dev) ? sprintf("%.4f", dev[epoch]) : "" }'
metrics seconds train | awk 'END { printf "%.3f seconds an epoch, evaluations among them\n", $2 / $1 }'

echo
printf '%s\n' 'Go .' 'Wow !' "I'm OK ." 'I won !' | put four.en
transformer-translate --model "$model" --quiet --threads 1 <"$folder/data/four.en" | paste "$folder/data/four.en" - |
  awk -F '\t' '{ printf "%-10s → %s\n", $1, $2 }'

echo
for part in train heldout; do
  cut -f 1 "$folder/data/$part.tsv" | put "$part.en"
  cut -f 2 "$folder/data/$part.tsv" | put "$part.fr"
  transformer-translate --model "$model" --quiet --threads 1 <"$folder/data/$part.en" | put "$part.translated"
done
echo "The pairs that it was trained on:"
transformer-evaluate --hypothesis "$folder/data/train.translated" --reference "$folder/data/train.fr" --lowercase
echo "Pairs with English sentences that it has never seen:"
transformer-evaluate --hypothesis "$folder/data/heldout.translated" --reference "$folder/data/heldout.fr" --lowercase
