#!/usr/bin/env bash
# chapter.sh FILE FOLDER  Runs the experiment of configs/chapter/chapter.yaml and of its rivals, recurrent.yaml and attention.yaml.
# FILE has tab-separated pairs, English first, as in fra-eng's fra.txt; it may be compressed by gzip. All
# results go to FOLDER: the script splits, prepares, trains, translates and scores. The first 1 001 pairs are
# for training. The next 500 English sentences outside of these are held out, each with its first translation.
# A second run resumes where the first one stopped, or shows the results again. The programs are those of the
# PATH. Further arguments go to each transformer-train, such as --set train.epochs=3.
set -euo pipefail
[ $# -ge 2 ] || { echo "usage: chapter.sh FILE FOLDER [ARGUMENT OF transformer-train…]" >&2 && exit 2; }
file=$1 folder=$2
shift 2
[ -f "$file" ] && [ -r "$file" ] || { echo "error: $file: cannot be read" >&2 && exit 2; }
configs=$(dirname "${BASH_SOURCE[0]}")/../configs/chapter
runs="run recurrent attention" # of the Transformer, of LSTM without attention, of GRU with it
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

config_of() { [ "$1" = run ] && echo "$configs/chapter.yaml" || echo "$configs/$1.yaml"; }
transformer-prepare --config "$configs/chapter.yaml" "${settings[@]}" --quiet
for run in $runs; do
  transformer-train --config "$(config_of $run)" "${settings[@]}" --run "$folder/$run" --resume --quiet --threads 1 "$@"
done

# metrics RUN NAME SPLIT  epoch and value of each line of the run's metrics that has them.
metrics() {
  awk -v name="\"$2\":" -v part="\"split\":\"$3\"" '
    function number(of,   at) { at = index($0, of); return at ? substr($0, at + length(of)) + 0 : "" }
    index($0, part) { printf "%d %s\n", number("\"epoch\":"), number(name) }' "$folder/$1/metrics.jsonl"
}

echo
echo "Loss of a token"
echo "             Transformer          LSTM, no attention      GRU with attention"
echo "epoch   training   held out      training   held out     training   held out"
for run in $runs; do
  metrics $run loss train | sed "s/^/$run train /"
  metrics $run loss dev | sed "s/^/$run dev /"
done | awk -v names="$runs" '
  { loss[$1, $2, $3] = $4; if ($3 > last[$1]) last[$1] = $3; if ($3 > end) end = $3 }
  function number(run, part, epoch) { return ((run, part, epoch) in loss) ? sprintf("%.4f", loss[run, part, epoch]) : "" }
  END {
    count = split(names, run, " ")
    split("1 2 5 10 20 50 100 200 300", shown, " ")
    for (i in shown) wanted[shown[i]]
    for (r in run) wanted[last[run[r]]]
    for (epoch = 1; epoch <= end; ++epoch) {
      if (!(epoch in wanted)) continue
      line = sprintf("%5d", epoch)
      for (r = 1; r <= count; ++r) line = line sprintf("%11s%11s  ", number(run[r], "train", epoch), number(run[r], "dev", epoch))
      sub(/ +$/, "", line)
      print line
    }
  }'

printf '%s\n' 'Go .' 'Wow !' "I'm OK ." 'I won !' | put four.en
for part in train heldout; do
  cut -f 1 "$folder/data/$part.tsv" | put "$part.en"
  cut -f 2 "$folder/data/$part.tsv" | put "$part.fr"
done
for run in $runs; do
  model=$folder/$run/checkpoints/last
  echo
  transformer-inspect --model "$model" | awk -v run=$run '
    BEGIN { title["run"] = "Transformer"; title["recurrent"] = "LSTM without attention"; title["attention"] = "GRU with attention" }
    /^parameters/ { inside = 1 }
    inside && ($1 == "total" || $1 == "whole") { gsub(",", "", $2); printf "%s, %d parameters\n", title[run], $2; exit }'
  metrics $run seconds train | awk '{ epochs = $1; seconds = $2 } END { printf "%.3f seconds an epoch, evaluations among them\n", seconds / epochs }'
  transformer-translate --model "$model" --quiet --threads 1 <"$folder/data/four.en" 2>/dev/null | paste "$folder/data/four.en" - |
    awk -F '\t' '{ printf "%-10s → %s\n", $1, $2 }'
  for part in train heldout; do
    transformer-translate --model "$model" --quiet --threads 1 <"$folder/data/$part.en" 2>/dev/null | put "$part.$run"
    [ $part = train ] && echo "The pairs that it was trained on:" || echo "Pairs with English sentences that it has never seen:"
    transformer-evaluate --hypothesis "$folder/data/$part.$run" --reference "$folder/data/$part.fr" --lowercase
  done
done
