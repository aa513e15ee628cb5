#!/usr/bin/env bash
# Measures one training by one process and by two, each with one thread, in shared memory and over networks of
# some rates, and once with two threads. Prints a Markdown table with transformer-inspect's predictions beside
# it. Takes about a minute a row; run nothing else meanwhile.
#   scaling.sh CONFIG [RATE…]
# CONFIG: its prepared data are trained on. RATE: Mbit/s of the network, by default 10000, 1000 and 100. The programs are
# found along PATH. SHAPE (small), PRECISION (fp32), ACCUMULATE (6 batches an update), SECONDS_EACH (30) and MEMORY_BANDWIDTH
# (30 GB/s, of the machine) may be set.
source "$(dirname "$0")/../apps/two_machines.sh" "$@"
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
config=$1
shift
[ $# -gt 0 ] || set -- 10000 1000 100
export SHAPE=${SHAPE:-small} PRECISION=${PRECISION:-fp32} ACCUMULATE=${ACCUMULATE:-6}
export MEMORY_BANDWIDTH=${MEMORY_BANDWIDTH:-30}
work=$(mktemp -d)
trap 'remove_machines; rm -rf "$work"' EXIT
make_machines
train=(env OMP_NUM_THREADS=1 transformer-bench train --config "$config" --shape "$SHAPE" --precision "$PRECISION"
  --accumulate "$ACCUMULATE" --seconds "${SECONDS_EACH:-30}" --json)

# measured NAME COMMAND…  COMMAND prints the result of a training.
measured() {
  local name=$1
  shift
  echo "$name" >&2
  "$@" >"$work/result"
  printf '%s\t%s\t%s\n' "$name" "${speed:-}" "$(cat "$work/result")" >>"$work/rows"
}

# apart PLACE PLACE ADDRESS COMMAND…  as ranks 0 and 1, begun by PLACE: on_machine N, or env. Rank 0's output counts.
apart() {
  local first=$1 second=$2 address=$3 other
  shift 3
  $second env RANK=1 LOCAL_RANK=0 WORLD_SIZE=2 MASTER_ADDR="$address" MASTER_PORT=29500 "$@" >/dev/null &
  other=$!
  $first env RANK=0 LOCAL_RANK=0 WORLD_SIZE=2 MASTER_ADDR="$address" MASTER_PORT=29500 "$@"
  wait $other
}

# speed_between PLACE PLACE ADDRESS  GB/s and microseconds.
speed_between() {
  local server
  $1 python3 "$here/link_speed.py" serve "$3" 29501 &
  server=$!
  $2 python3 "$here/link_speed.py" ask "$3" 29501
  wait $server
}

measured "1 process" "${train[@]}"
measured "2, shared memory" "${train[@]}" --processes 2
for rate in "$@"; do
  limit_link "$rate"
  speed=$(speed_between "on_machine 0" "on_machine 1" "$store_host")
  measured "2, $rate Mbit/s" apart "on_machine 0" "on_machine 1" "$store_host" "${train[@]}"
done
speed=''
measured "1 process, 2 threads" env OMP_NUM_THREADS=2 "${train[@]:2}"
python3 "$here/scaling_table.py" "$config" "$work/rows"
