#!/usr/bin/env bash
# Two machines train one model; the network between them is slow, goes away, or was never there.
source "$(dirname "$0")/two_machines.sh" "$@"
source "$(dirname "$0")/common.sh"
trap 'remove_machines; rm -rf "$folder"' EXIT
make_machines
make_experiment
train=(transformer-train --quiet --threads 1 --config experiment.yaml --set train.save_every=2 --set train.keep=6)

# member N RUN ARGUMENTS…  the process of machine N. Its errors are in RUN.N.errors.
member() {
  local rank=$1 run=$2
  shift 2
  on_machine "$rank" env RANK="$rank" LOCAL_RANK=0 WORLD_SIZE=2 MASTER_ADDR="${address:-$store_host}" MASTER_PORT=29500 \
    "${train[@]}" --run "$run" "$@" 2>"$run.$rank.errors"
}

# begin RUN ARGUMENTS…  both, beside this.
begin() {
  local rank
  for rank in 0 1; do
    member $rank "$@" &
    members[rank]=$!
  done
}

# ended RUN STATUS…  of each. One that does not succeed has to say why, in one line.
ended() {
  local run=$1 rank status
  for rank in 0 1; do
    shift
    status=0
    wait "${members[rank]}" || status=$?
    [ $status = "$1" ] || fail "$run, rank $rank: expected status $1, found $status: $(cat "$run.$rank.errors")"
    [ "$1" = 0 ] || says_once "$run.$rank"
  done
}

says_once() {
  [ "$(wc -l <"$1.errors")" = 1 ] || fail "$1: expected one line, found: $(cat "$1.errors")"
  sed "s/^/$1: /" "$1.errors"
}

# await FILE  at most as long as a slow machine may take for it.
await() {
  local tries
  for ((tries = 0; tries < 1200; ++tries)); do
    [ ! -e "$1" ] || return 0
    sleep 0.05
  done
  fail "expected $1, found none"
}

"${train[@]}" --run whole --processes 2
begin apart
ended apart 0 0
same whole apart
limit_link 20
address=$store_host_v6 begin slow
ended slow 0 0
same whole slow

# The network goes away, at each end, for a moment and for good. So slow as it is, an update takes a while that costs no
# processor time.
limit_link 8
for end in 0 1; do
  begin cut$end
  await cut$end/checkpoints/step-00000002
  cut_link $end
  sleep 1
  mend_link $end
  await cut$end/checkpoints/step-00000004
  cut_link $end
  begin=$SECONDS
  ended cut$end 1 1
  [ $((SECONDS - begin)) -le 30 ] || fail "cut$end: took $((SECONDS - begin)) s to end"
  mend_link $end
done
grep -q "rank 1 (process .*): has not been heard of" cut0.0.errors || fail "rank 0 does not say whom it misses"
grep -q "the store at $store_host:29500 has not answered" cut0.1.errors || fail "rank 1 does not say whom it misses"

# A run that was cut goes on. The number of processes may stay, or change as for a run that was asked to end
# there.
limit_link 1000
begin cut0 --resume
ended cut0 0 0
same whole cut0
step=$(readlink cut1/checkpoints/last)
"${train[@]}" --run asked --processes 2 --set train.steps=$((10#${step#step-}))
for run in asked cut1; do "${train[@]}" --run $run --resume; done
same asked cut1

# Nobody is there.
refused() { # NAME SECONDS PATTERN
  local begin=$SECONDS status=0
  member 1 "$1" --join-timeout 2 || status=$?
  [ $status = 1 ] || fail "$1: expected status 1, found $status"
  [ $((SECONDS - begin)) -le "$2" ] || fail "$1: took $((SECONDS - begin)) s to end"
  says_once "$1.1"
  check "$1 says where" says "$3" <"$1.1.errors"
}
address=10.77.0.3 refused elsewhere 10 "10.77.0.3:29500: expected the store of rank 0"
address=10.99.0.1 refused nowhere 10 "10.99.0.1:29500: expected the store of rank 0"
cut_link 0
refused unplugged 10 "$store_host:29500: expected the store of rank 0"
finish
