#!/usr/bin/env bash
# One signal to all processes of a run is one request to stop, in whatever order they get it: all is saved. A second one ends all at once.
# TRIALS=25 SEED=7 bash signals_test.sh SOURCE_DIR   also signals all at random moments, so often (./dev test --trials).
source "$(dirname "$0")/common.sh"
trials=${TRIALS:-0}
RANDOM=${SEED:-1}
make_experiment
cat >list.yaml <<YAML
base: experiment.yaml
output: out
set: {train.steps: 100000, train.save_every: 5}
experiments: [{name: base}]
YAML

# begin KIND NAME  a training by two processes, or a list with one training, that has saved something. Sets $program.
begin() {
  local run=$folder/$2
  case $1 in
    processes)
      transformer-train --quiet --threads 1 --config experiment.yaml --set train.steps=100000 --set train.save_every=5 \
        --run "$run" --resume --processes 2 2>"$2.errors" &
      ;;
    list) transformer-experiments list.yaml --quiet --threads 1 --output "$run" >/dev/null 2>"$2.errors" & ;;
  esac
  program=$!
  [ "$1" = processes ] || run+=/base/seed-1/train
  until [ -e "$run/checkpoints/step-00000005" ]; do sleep 0.02; done
}

# heard FILE COUNT  waits until so many processes have said that they heard a signal, and what they do about it is done.
heard() {
  for _ in $(seq 500); do
    if [ "$(grep -c 'stopping as soon' "$1")" -ge "$2" ]; then break; fi
    sleep 0.02
  done
  sleep 0.3
}

# ended NAME  $program has ended as one that is interrupted does. Nothing is left of it.
ended() {
  local status=0
  wait $program || status=$?
  [ $status = 130 ] || fail "$1: expected status 130, found $status: $(cat "$1.errors")"
  ! grep 'error:' "$1.errors" || fail "$1: an error was said"
  ! pgrep -f -- "$folder/$1" >/dev/null || fail "$1: a process is left"
}

# saved NAME LOG RUN  it has ended, and the last update is saved.
saved() {
  ended "$1"
  local step
  step=$(sed -n 's/.*interrupted after step \([0-9]*\); everything is saved.*/\1/p' "$2" | tail -n 1)
  [ "$(readlink "$3/checkpoints/last")" = "step-$(printf %08d "${step:-0}")" ] ||
    fail "$1: expected the update of the interruption saved, found $(readlink "$3/checkpoints/last"): $(cat "$2")"
}

# Several processes. Rank 1 is stopped until the others have heard both signals: none can end before.
for order in launcher rank; do
  begin processes $order
  first=$program second=$(rank_of $order 0) other=$(rank_of $order 1) hear=2
  [ $order = launcher ] || { first=$second second=$program hear=1; }
  kill -STOP "$other"
  kill -TERM "$first"
  heard $order.errors $hear
  kill -TERM "$second"
  heard $order.errors 2
  kill -CONT "$other"
  saved $order $order.errors $order
done

# A second request to the launcher ends all at once, without a word of a store that is gone.
begin processes twice
other=$(rank_of twice 1)
kill -STOP "$other"
kill -TERM $program
heard twice.errors 2
kill -TERM $program
ended twice
! grep -q 'everything is saved' twice.errors || fail "twice: $(cat twice.errors)"

# The runner of a list, and its training, which has both signals waiting when it goes on.
begin list listed
other=$(rank_of listed/base/seed-1/train '')
kill -STOP "$other"
kill -INT "$other"
kill -TERM $program
heard listed.errors 1
kill -CONT "$other"
saved listed listed/base/seed-1/log.txt listed/base/seed-1/train
grep -q 'interrupted; all is saved' listed.errors || fail "listed: $(cat listed.errors)"

# What has not saved is not said to have.
begin list killed
other=$(rank_of killed/base/seed-1/train '')
kill -STOP "$other"
kill -TERM $program
heard killed.errors 1
kill -KILL "$other"
ended killed
grep -q 'base, seed 1: was ended before it saved (killed by signal 9): it will go on from step-' killed.errors &&
  ! grep -q 'all is saved: the same' killed.errors || fail "killed: $(cat killed.errors)"

# All at once, at random moments.
for trial in $(seq "$trials"); do
  for kind in processes list; do
    name=$kind$trial signals=(TERM INT HUP)
    begin $kind $name
    sleep "0.$((RANDOM % 10))$((RANDOM % 10))"
    mapfile -t children < <(pgrep -P $program)
    all=("$program" "${children[@]}")
    [ $((RANDOM % 2)) = 0 ] || all=("${children[@]}" "$program")
    kill "-${signals[RANDOM % 3]}" "${all[@]}"
    case $kind in
      processes) saved $name $name.errors $name ;;
      list) saved $name $name/base/seed-1/log.txt $name/base/seed-1/train ;;
    esac
    rm -r "$name"
  done
done
[ "$trials" = 0 ] || echo "$((2 * trials)) runs were signalled at random moments"
finish
