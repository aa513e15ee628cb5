#!/usr/bin/env bash
# runs.sh keep|take OUTPUT KEPT  A list of experiments that takes days is run in several sittings, on whatever machine is free. What its
# report needs of a run is little: the configuration, what the runner noted, the learning curve and the translations. `keep` copies
# that of the finished runs from OUTPUT, transformer-table3's folder, into KEPT. `take` copies it into the OUTPUT of another sitting,
# where transformer-table3 counts these runs as finished, if the data that are prepared there are the same to the byte.
set -euo pipefail
shopt -s extglob nullglob
[ $# = 3 ] || { sed -n '2,5s/^# //p' "$0" >&2 && exit 2; }
readonly mode=$1 output=$2 kept=$3
expect_runs() { [ -d "$1" ] || { echo "runs.sh: $1: expected a folder of runs, found none" >&2 && exit 2; }; }

# make_partial FOLDER  sets $partial, an empty folder in a hidden one of FOLDER. take_place NAME  makes it appear under that name.
hidden=''
trap '[ -z "$hidden" ] || rm -rf "$hidden"' EXIT
make_partial() {
  [ -z "$hidden" ] || rm -rf "$hidden"
  mkdir -p "$1"
  hidden=$(mktemp -d "$1/.partial-XXXXXX")
  partial=$hidden/run
  mkdir "$partial"
}
take_place() {
  mkdir -p "$(dirname "$1")"
  mv -T "$partial" "$1"
}

case $mode in
  keep)
    expect_runs "$output"
    tested() { grep -q '"tested": "' "$@"; } # one of these records at least
    records=("$output"/*/seed-+([0-9])/run.json)
    # Where one run has translated the test set, all are to.
    with_test=no
    [ ${#records[@]} = 0 ] || ! tested "${records[@]}" || with_test=yes
    for record in "${records[@]}"; do
      from=$(dirname "$record")
      to=$kept/${from#"$output"/}
      # Trained to the end that its configuration says, and translated there.
      steps=$(sed -n 's/^  steps: //p' "$from/config.yaml")
      grep -q "\"trained\": $steps,\$" "$record" || continue
      grep -q "\"decoded\": \"mean of [0-9]* checkpoints at step $steps," "$record" || continue
      if grep -q '"failure"' "$record" || [ ! -e "$from/dev.translation" ]; then continue; fi
      if [ $with_test = yes ] && ! tested "$record"; then continue; fi
      if [ -e "$to" ] && { [ $with_test = no ] || tested "$to/run.json"; }; then continue; fi
      if [ $with_test = yes ] && [ ! -e "$from/test.translation" ]; then
        echo "runs.sh: $from/test.translation: expected the test set's translation, found none; the run is not kept" >&2
        continue
      fi
      make_partial "$kept"
      mkdir -p "$partial/train"
      cp "$from"/*.translation "$record" "$partial"
      # Where texts lie decides nothing. Of the training, a report reads the dev set's lines and the last one of each sitting.
      sed 's|^\(  [a-z]*: "\)/.*/\([^/]*"\)$|\1\2|' "$from/config.yaml" >"$partial/config.yaml"
      awk 'function number(key) { value = $0; return sub(".*\"" key "\":", "", value) ? value + 0 : 0 }
        { seconds = number("seconds"); time = number("time") }
        NR > 1 && (dev || seconds < before || time - seconds > last) { print line }
        { line = $0; before = seconds; last = time; dev = /"split":"dev"/ }
        END { print line }' "$from/train/metrics.jsonl" >"$partial/train/metrics.jsonl"
      if [ -e "$to" ]; then # without the test set: the rest must be the same
        if ! cmp -s "$partial/config.yaml" "$to/config.yaml" || ! cmp -s "$partial/dev.translation" "$to/dev.translation" ||
          { [ -e "$to/test.translation" ] && ! cmp -s "$partial/test.translation" "$to/test.translation"; }; then
          echo "runs.sh: $to: expected the run of $from, found another one, which is not replaced" >&2
          continue
        fi
        mv "$partial"/{test.translation,run.json} "$to"
      else
        take_place "$to"
      fi
      echo "kept $to"
    done
    ;;
  take)
    expect_runs "$kept"
    for from in "$kept"/*/seed-+([0-9]); do
      to=$output/${from#"$kept"/}
      if [ -e "$to" ]; then continue; fi
      make_partial "$output"
      cp -R "$from/." "$partial"
      take_place "$to"
      echo "taken $to"
    done
    ;;
  *)
    echo "runs.sh: expected keep or take, found $mode" >&2
    exit 2
    ;;
esac
