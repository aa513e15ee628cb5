#!/usr/bin/env bash
# What a system may refuse: threads, file descriptors, symbolic links, room. No program hangs, and none names another cause.
# limits_test.sh SOURCE_DIR LIBRARY  (refusing_system.cpp, which is preloaded)
refusing=$2
source "$(dirname "$0")/common.sh"
make_experiment
train="transformer-train --quiet --config experiment.yaml"
$train --threads 1 --run run
export OMP_WAIT_POLICY=passive # threads that spin would wait for each other beside other work
begun=$SECONDS

# ends COMMAND…  in time, well or with status 1 and one line that says what was refused; leaves its status.
ends() {
  status=0
  timeout 60 "$@" >output 2>error </dev/null || status=$?
  [ $status = 0 ] || { [ $status = 1 ] && [ "$(grep -c '^error: ' error)" = 1 ] && says "$refused" <error; } ||
    fail "status $status: $*: $(cat error)"
}

# within LIMIT COMMAND…  the same under a limit, as ulimit takes it.
within() { ends bash -c "ulimit $1"' && exec "$@"' "$@"; }

# --- Threads -------------------------------------------------------------------------------------------------

refused='the system grants no more threads'
for granted in 0 1 2 4 12; do
  some() { ends env LD_PRELOAD="$refusing" TEST_THREADS=$granted "$@"; }
  rm -rf few again
  some $train --threads 16 --run few
  [ $granted -lt 4 ] || [ $status = 0 ] || fail "a training on $granted threads: $(cat error)"
  some transformer-translate --quiet --threads 16 --model run --input data/test.en --output translation --overwrite
  [ $granted -lt 4 ] || [ $status = 0 ] || fail "a translation on $granted threads: $(cat error)"
  some transformer-prepare --quiet --threads 16 --config experiment.yaml --set data.prepared=again
  some transformer-inspect --threads 16 --config experiment.yaml
done
some() { env LD_PRELOAD="$refusing" TEST_THREADS=12 "$@"; }
some transformer-inspect --threads 16 --config experiment.yaml >output 2>error
grep -q 'the system grants .* more threads (a limit on processes or on memory): . instead of 16 compute' error ||
  fail "nothing said of fewer threads: $(cat error)"
transformer-inspect --threads 4096 --config experiment.yaml >output 2>error
grep -q '4096 threads on .* would mostly wait for each other: .* are used' error || fail "4096 threads: $(cat error)"

# --- Open files ----------------------------------------------------------------------------------------------

refused='2 processes: expected a limit of .* open files or more (ulimit -n), found 12'
limited=$SECONDS
within "-n 12" $train --run limited --processes 2
[ $status = 1 ] || fail "two processes of 12 open files"
within "-n 12" env WORLD_SIZE=2 RANK=1 LOCAL_RANK=1 MASTER_ADDR=127.0.0.1 MASTER_PORT=9 $train --run limited
[ $status = 1 ] || fail "one of two processes, of 12 open files"
[ $((SECONDS - limited)) -lt 20 ] || fail "it took $((SECONDS - limited)) s"
within "-Sn 20" $train --run raised --processes 2
[ $status = 0 ] || fail "a soft limit is not raised: $(cat error)"
refused='a training: expected a limit of .* open files or more (ulimit -n), found 12'
within "-n 12" $train --threads 1 --run limited
[ $status = 1 ] && [ ! -e limited ] || fail "a training of 12 open files"

# --- Memory --------------------------------------------------------------------------------------------------

head -c 100000000 < <(yes a) | gzip -1 >many.gz
refused='many.gz: out of memory at line [0-9]*'
within "-v 1500000" transformer-evaluate --threads 1 --hypothesis many.gz --reference many.gz
[ $status = 1 ] || fail "a text larger than memory"
rm many.gz

# --- The working directory -----------------------------------------------------------------------------------

mkdir gone
(cd gone && rmdir ../gone && transformer-inspect --version) >output 2>error && fail "the working directory is gone, and nothing said"
grep -q '^error: the working directory: .* is gone' error && [ "$(wc -l <error)" = 1 ] || fail "in a folder that is gone: $(cat error)"

# --- Symbolic links ------------------------------------------------------------------------------------------

unlinked() { LD_PRELOAD="$refusing" TEST_NO_LINKS=1 "$@"; }
unlinked $train --threads 1 --run plain || fail "a training without links"
[ "$(cat plain/checkpoints/last)" = step-00000012 ] || fail "last: $(cat plain/checkpoints/last)"
cmp {run,plain}/checkpoints/step-00000012/model.safetensors || fail "other weights without links"
for model in plain plain/checkpoints/best plain/checkpoints/last run; do
  transformer-translate --quiet --threads 1 --model $model --input data/test.en >"${model##*/}.translation" || fail "$model as a model"
done
for model in plain best last; do
  cmp run.translation $model.translation || fail "a model by a link and by a file differ: $model"
done
$train --threads 1 --run plain --resume --set train.steps=16 || fail "going on where there are links again"
[ "$(readlink plain/checkpoints/last)" = step-00000016 ] || fail "a link again"
unlinked $train --threads 1 --run run --resume --set train.steps=16 || fail "going on where there are no links any more"
cmp {run,plain}/checkpoints/step-00000016/model.safetensors || fail "other weights after moving"
status=0
transformer-average --run run --last 1 --output run/checkpoints/best --overwrite 2>error || status=$?
[ $status = 2 ] && grep -q 'checkpoints of a run' error || fail "a file that names a checkpoint as output: $(cat error)"
rm plain/checkpoints/best
status=0
transformer-translate --model plain --input data/test.en >output 2>error || status=$?
[ $status = 2 ] && grep -q 'found none: name a checkpoint, such as plain/checkpoints/step-00000016' error ||
  fail "without the best: $(cat error)"
[ $((SECONDS - begun)) -lt 300 ] || fail "$((SECONDS - begun)) s"
# Threads that wait for each other spin for some milliseconds only, unless the user says how long.
spins() { env "$@" OMP_DISPLAY_ENV=verbose transformer-train --help 2>&1 | sed -n "s/.*GOMP_SPINCOUNT = '\([0-9]*\)'.*/\1/p"; }
if [ "$(spins GOMP_SPINCOUNT=5)" = 5 ]; then # else OpenMP is not GNU's
  [ "$(spins -u GOMP_SPINCOUNT -u OMP_WAIT_POLICY)" = 80000 ] || fail "spins: $(spins -u GOMP_SPINCOUNT -u OMP_WAIT_POLICY)"
  [ "$(spins -u GOMP_SPINCOUNT OMP_WAIT_POLICY=passive)" = 0 ] || fail "a policy of the user's is changed"
fi
(exec -a trainer transformer-train --version) >/dev/null || fail "a program under another name"

finish
