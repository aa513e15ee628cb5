# What the tests of the programs share. They are run as: bash NAME_test.sh SOURCE_DIR
set -euo pipefail
source_dir=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
failures=0

fail() {
  echo "FAILED: $*" >&2
  failures=$((failures + 1))
}

# check NAME COMMAND…: the command must succeed.
check() {
  local name=$1
  shift
  "$@" || fail "$name"
}

# says PATTERN: whether a line of standard input has it. Unlike grep -q it reads to the end: what writes into it does not
# lose its reader, which would be an error of its own.
says() { [ "$(grep -c -- "$1")" != 0 ]; }

# same RUN RUN  two trainings that ended with the same model and moments, to the bit.
same() {
  local file
  for file in model.safetensors optimizer.safetensors; do
    cmp "$1/checkpoints/last/$file" "$2/checkpoints/last/$file" || fail "$file of $1 and $2 differ"
  done
}

# difference RUN RUN  prints the largest relative difference of what both measured; fails where they differ in more.
difference() {
  python3 - "$@" <<'PYTHON'
import json, sys

one, other = ([json.loads(line) for line in open(f"{run}/metrics.jsonl")] for run in sys.argv[1:])
largest = 0.0
assert [line["step"] for line in one] == [line["step"] for line in other]
for left, right in zip(one, other):
    assert left.keys() == right.keys()
    for name in ("split", "epoch", "target_tokens", "skipped", "learning_rate", "flops"):
        assert left[name] == right[name], (name, left, right)
    for name in ("loss", "perplexity", "gradient_norm", "bleu"):
        if left.get(name):
            largest = max(largest, abs(left[name] - right[name]) / abs(left[name]))
print(largest)
PYTHON
}

# same_course RUN RUN MOST  a run and another of the same course, but for rounding.
same_course() {
  local found
  found=$(difference "$1" "$2") || { fail "$1 and $2 do not go the same way"; return; }
  echo "$1, $2: largest relative difference $found"
  python3 -c "exit(not $found <= $3)" || fail "$1 and $2 differ by $found"
}

# rank_of RUN RANK  prints the process of that rank, once it is there; of a run by one process, with an empty RANK. Runs are
# named by their whole path: another test that runs beside this has runs of the same names.
rank_of() {
  local process
  for _ in $(seq 200); do
    for process in $(pgrep -f -- "--run $folder/$1 " || true); do
      if [ -z "$2" ] || tr '\0' '\n' <"/proc/$process/environ" 2>/dev/null | says "^RANK=$2$"; then
        echo "$process"
        return
      fi
    done
    sleep 0.02
  done
}

# ended NAME STATUS SECONDS PATTERN  the program that runs beside this as $program, whose errors are in NAME.errors.
ended() {
  local begin=$SECONDS status=0
  wait $program || status=$?
  [ $status = "$2" ] || fail "$1: expected status $2, found $status"
  [ $((SECONDS - begin)) -le "$3" ] || fail "$1: took $((SECONDS - begin)) s to end"
  [ "$(grep -c '^error\|error:' "$1.errors")" = 1 ] || fail "$1: expected one message, found: $(cat "$1.errors")"
  grep -q -- "$4" "$1.errors" || fail "$1: expected '$4', found: $(cat "$1.errors")"
  ! pgrep -f -- "--run $folder/$1 " >/dev/null || fail "$1: a process is left"
}

# refuse TEXT COMMAND…: it must be refused with status 2 and one line that has the text, and print nothing.
refuse() {
  local text=$1 status=0
  shift
  "$@" >refused.out 2>refused.err || status=$?
  [ $status = 2 ] && [ ! -s refused.out ] && [ "$(wc -l <refused.err)" = 1 ] && grep -qF -- "$text" refused.err ||
    fail "status $status, $(cat refused.err): $*"
}

finish() {
  [ "$failures" = 0 ] || exit 1
  echo "all checks passed"
}

# A corpus, and an experiment that takes seconds.
make_experiment() {
  transformer-demo-corpus --output data --train 1500 --dev 40 --test 60 >/dev/null
  cat >experiment.yaml <<YAML
data: {source: en, target: de, train: data/train, dev: data/dev, test: data/test, vocabulary: 900, prepared: prepared}
model: {layers: 1, d_model: 32, d_ff: 64, heads: 2, d_k: 16, d_v: 16}
train: {steps: 12, source_tokens: 400, target_tokens: 400, bucket_tokens: 300, micro_tokens: 300, warmup: 10,
        eval_every: 4, save_every: 4, log_every: 2, keep: 3}
YAML
  transformer-prepare --quiet --config experiment.yaml >/dev/null
}
