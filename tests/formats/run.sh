#!/usr/bin/env bash
# Exports models and runs them in the programs that they are for. Also starts trainings by PyTorch's launcher,
# and reads their events with TensorBoard. Each script beside this one is a check.
#   run.sh PYTHON BIN_DIR [CHECK…]
# CHECK: a script's name without .py; all, if none is given. INTEROP_MODEL and INTEROP_TEXT may name a trained model
# and text in its source language; without them the models are random. Two checks run at a time, for each is mostly one
# thread; each line begins with the check that says it.
set -eu
python=$1 bin=$2
shift 2
here=$(dirname "$0")
if [ $# = 0 ]; then
  for script in "$here"/*.py; do set -- "$@" "$(basename "$script" .py)"; done
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run CHECK
run() {
  local verdict=passed
  mkdir "$work/$1"
  "$python" -B "$here/$1.py" "$bin" "$work/$1" 2>&1 | sed -u "s/^/$1: /" || verdict=FAILED
  echo "$1: $verdict"
  rm -r "${work:?}/$1"
  [ $verdict = passed ]
}
export python bin here work
export -f run
printf '%s\n' "$@" | xargs -P 2 -I '{}' bash -o pipefail -c 'run "$1"' run '{}' || exit 1
