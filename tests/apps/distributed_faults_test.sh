#!/usr/bin/env bash
# Whatever happens to one of several processes ends all of them soon, with one message, and nothing is lost.
# KILLS=40 SEED=7 bash distributed_faults_test.sh SOURCE_DIR   kills at length.
source "$(dirname "$0")/common.sh"
kills=${KILLS:-8}
RANDOM=${SEED:-1}
make_experiment
steps=$((kills * 60))
train=(transformer-train --quiet --threads 1 --config experiment.yaml --set train.steps=$steps --set train.keep=5
  --set train.eval_every=50 --set train.save_every=5)

# run NAME ARGUMENTS…  begins a training by several processes beside this.
run() {
  local name=$1
  shift
  "${train[@]}" --run "$folder/$name" "$@" 2>"$name.errors" &
  program=$!
}

# A process that is killed, each rank in turn, at random moments.
"${train[@]}" --run whole --processes 2
killed=0 slowest=0 runs=1
while [ $killed -lt "$kills" ]; do
  rank=$((killed % 2))
  run killed$runs --resume --processes 2
  victim=$(rank_of killed$runs $rank)
  sleep "0.$((RANDOM % 10))$((RANDOM % 10))"
  begin=$(date +%s%N)
  if ! kill -KILL "$victim" 2>/dev/null; then # it was faster
    wait $program || fail "a run that nobody killed ended with status $?"
    runs=$((runs + 1))
    continue
  fi
  killed=$((killed + 1))
  ended killed$runs 1 30 "rank $rank (process $victim): was killed by signal 9"
  took=$((($(date +%s%N) - begin) / 1000000))
  [ $took -le $slowest ] || slowest=$took
done
for run in $(seq $runs); do
  "${train[@]}" --run "killed$run" --resume --processes 2
  for file in model.safetensors optimizer.safetensors; do
    cmp "whole/checkpoints/last/$file" "killed$run/checkpoints/last/$file" || fail "$file of run $run differs"
  done
done
echo "$killed kills in $runs runs of $steps steps; the slowest took $slowest ms to end all"

# One that hangs.
run hanging --set train.steps=100000 --processes 3
victim=$(rank_of hanging 1)
until [ -e hanging/checkpoints/step-00000005 ]; do sleep 0.1; done
kill -STOP "$victim"
ended hanging 1 30 "rank 1 (process $victim on .*): has not been heard of"

# One that is asked to stop: all save and end, and the run goes on.
run asked --set train.steps=100000 --processes 2
victim=$(rank_of asked 1)
until [ -e asked/checkpoints/step-00000005 ]; do sleep 0.1; done
kill -TERM "$victim"
status=0
wait $program || status=$?
[ $status = 130 ] || fail "SIGTERM to one rank gave status $status"
check "it says so once" [ "$(grep -c 'everything is saved' asked.errors)" = 1 ]
step=$(readlink asked/checkpoints/last)
"${train[@]}" --run asked --resume --processes 2 --set train.steps=$((10#${step#step-} + 1)) ||
  fail "a stopped run does not go on"

# A pipe would be read by one of them.
status=0
"${train[@]:0:1}" --config <(echo "{}") --run piped --processes=2 2>piped.errors || status=$?
check "a pipe is refused" [ $status = 2 ]
grep -q -- "--config /dev/fd/.*: expected a file, .*found a pipe" piped.errors || fail "$(cat piped.errors)"

# What all meet, and what one meets alone.
run diverging --processes 2 --set train.factor=1e12 --set train.max_skipped=2
ended diverging 1 30 "rank [01]: step .*: 2 updates in a row had a NaN or infinite loss"
check "it is saved" [ -e diverging/checkpoints/last/trainer.json ]
run unread --processes 3 --set data.prepared=nowhere
ended unread 2 30 "rank [012]: .*nowhere: no prepared data here"

# member NAME RANK SIZE ARGUMENTS…  one process, as a launcher would begin it.
member() {
  local name=$1 rank=$2 size=$3
  shift 3
  env OMP_NUM_THREADS=1 RANK="$rank" LOCAL_RANK="$rank" WORLD_SIZE="$size" MASTER_ADDR="${address:-127.0.0.1}" \
    MASTER_PORT="$port" "${train[@]}" --run "$folder/$name" "$@" 2>>"$name.errors"
}
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')

# refused NAME PATTERN ARGUMENTS…  rank 1 is begun with other arguments than rank 0.
refused() {
  local name=$1 pattern=$2 other
  shift 2
  member "$name" 1 2 "$@" &
  other=$!
  member "$name" 0 2 &
  program=$!
  ended "$name" 2 30 "$pattern"
  wait $other && fail "$name: the other rank ended well"
  [ ! -e "$name/checkpoints" ] || fail "$name: something was begun"
}
refused key "rank 1: train.warmup: expected what rank 0 has, 10, found 11" --set train.warmup=11
refused precision "rank 1: --precision: expected what rank 0 has" --precision bf16
sed 's/prepared: prepared/prepared: others/; s/data.train/data\/dev/' experiment.yaml >others.yaml
transformer-prepare --quiet --config others.yaml >/dev/null
# Its text is not on that machine, or the folder would be known to be of another.
refused data "rank 1: training data .*: expected what rank 0 has" --set data.prepared=others --set data.train=gone
member missing 0 3 --join-timeout 2 && fail "a run without its others ended well"
check "who is missing" says "expected 3 processes at 127.0.0.1:$port, missed ranks 1, 2" <missing.errors
member nobody 1 2 --join-timeout 2 && fail "a run without rank 0 ended well"
check "no answer" says "127.0.0.1:$port: expected the store of rank 0" <nobody.errors
address=192.0.2.1 member elsewhere 0 2 && fail "a public address"
check "public address" says "MASTER_ADDR: expected an address of the loopback or of a private network" <elsewhere.errors
# A process that does not know of the others is told: a launcher set the variables of its shell.
for rank in 0 1; do member alone$rank $rank 2 --join-timeout 7 && fail "rank $rank alone ended well"; done
for rank in 0 1; do
  check "rank $rank says that it waits" says "waiting for the other processes at 127.0.0.1:$port, for 7 s at most .*: .* rank $rank of 2" <alone$rank.errors
done
# So does a list, whose programs would each wait.
sed 's/steps: 12/steps: 4/' experiment.yaml >short.yaml && printf 'base: short.yaml\nexperiments: []\n' >list.yaml
SECONDS=0
env RANK=0 LOCAL_RANK=0 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT="$port" SLURM_STEP_NUM_TASKS=2 \
  transformer-experiments list.yaml --quiet --threads 1 --output listed >listed.out 2>&1 || fail "a list under a launcher: $(cat listed.out)"
[ $SECONDS -le 120 ] || fail "a list under a launcher took $SECONDS s"

# A second job at the first one's port is refused alone, whichever of its ranks comes.
export OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=2
# of_job JOB RANK  one process of mpirun.
of_job() {
  env OMP_NUM_THREADS=1 OMPI_COMM_WORLD_RANK="$2" OMPI_COMM_WORLD_LOCAL_RANK="$2" MASTER_PORT="$port" PMIX_NAMESPACE="$1" \
    "${train[@]}" --run "$folder/$1" --set train.steps=100000 2>>"$1.errors"
}
of_job first 0 & first=$!
of_job first 1 & second=$!
until [ -e first/checkpoints/step-00000005 ]; do sleep 0.1; done
for rank in 1 0; do
  status=0
  of_job another $rank || status=$?
  [ $status = 2 ] || fail "rank $rank of a second job: status $status"
done
check "a stranger is told" says "127.0.0.1:$port: expected the store of this run, mpi/another, found that of another one, mpi/first" <another.errors
check "its rank 0, too" says "MASTER_PORT: expected a free port" <another.errors
status=0
of_job first 1 || status=$?
[ $status = 2 ] && says "rank 1: expected each rank once, .* whose run goes on" <first.errors || fail "a rank that is there: status $status"
kill -TERM "$(rank_of first '')"
for process in $first $second; do
  status=0
  wait $process || status=$?
  [ $status = 130 ] || fail "a run that strangers came to ended with status $status: $(cat first.errors)"
done
[ "$(grep -c 'everything is saved' first.errors)" = 1 ] || fail "a run that strangers came to: $(cat first.errors)"
unset OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_LOCAL_SIZE

status=0
env GLOO_SOCKET_IFNAME=nosuch0 "${train[@]}" --run interface --processes 2 2>interface.errors || status=$?
[ $status = 2 ] && says 'rank [01]: environment: GLOO_SOCKET_IFNAME: expected an interface of this machine' <interface.errors &&
  [ "$(grep -c error: interface.errors)" = 1 ] || fail "an interface that is none: status $status, $(cat interface.errors)"

python3 -c "
import socket, time
s = socket.socket(); s.bind(('127.0.0.1', $port)); s.listen(); time.sleep(60)" &
listener=$!
sleep 1
member busy 0 2 && fail "a port in use"
# It is no store, and never answers: whoever takes it for one does not wait for ever, and can be stopped.
SECONDS=0
member mute 1 2 --join-timeout 2 && fail "what never answers is a store"
[ $SECONDS -le 20 ] || fail "what never answers is waited for: $SECONDS s"
check "no answer from what listens" says "127.0.0.1:$port: expected the store of rank 0" <mute.errors
env RANK=1 LOCAL_RANK=1 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT="$port" "${train[@]}" --run "$folder/deaf" 2>deaf.errors &
program=$!
sleep 2
kill -TERM $program
status=0
wait $program || status=$?
[ $status = 130 ] || fail "SIGTERM while joining gave status $status: $(cat deaf.errors)"
kill $listener
check "port in use" says "MASTER_PORT: expected a free port, found $port in use at 127.0.0.1" <busy.errors
status=0
env RANK=0 WORLD_SIZE=2 "${train[@]}" --run nothing 2>nothing.errors || status=$?
check "status of a variable that is missing" [ $status = 2 ]
check "a variable that is missing" says "LOCAL_RANK is not set, which RANK needs" <nothing.errors
finish
