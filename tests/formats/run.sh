#!/usr/bin/env bash
# Exports models and runs them in the programs that they are for, begins trainings by PyTorch's launcher, and reads their
# events with TensorBoard: each script beside this one is a check.
#   run.sh PYTHON BIN_DIR [CHECK…]
# CHECK: a script's name without .py; all, if none is given. INTEROP_MODEL and INTEROP_TEXT may name a trained model
# and text in its source language; without them the models are random.
set -eu
python=$1 bin=$2
shift 2
here=$(dirname "$0")
if [ $# = 0 ]; then
  for script in "$here"/*.py; do set -- "$@" "$(basename "$script" .py)"; done
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
for check in "$@"; do
  mkdir "$work/$check"
  echo "$check"
  if "$python" -B "$here/$check.py" "$bin" "$work/$check"; then
    echo "$check: passed"
  else
    echo "$check: FAILED"
    failed=1
  fi
  rm -rf "${work:?}/$check"
done
exit $failed
