# Two machines, as far as a network goes: two network namespaces joined by a pair of virtual cards. Source
# this first, with the script's arguments: without the rights for it the script starts again in a user
# namespace, where it has them. If that is forbidden, it ends as skipped.
#   make_machines          then remove_machines at the end: they go with the processes that hold them
#   on_machine N COMMAND…  N: 0 or 1; such a COMMAND in the background is of two processes, the second the machine's
#   limit_link MBITS       in each direction, from now on
#   cut_link N, mend_link N  N's card is off
# shellcheck shell=bash disable=SC2034  # for who sources this: addresses of machine 0; those of machine 1 end in 2
store_host=10.77.0.1 store_host_v6=fd77::1

skip() {
  echo "skipped: $*" >&2
  exit 4
}

for tool in ip tc unshare nsenter; do
  command -v $tool >/dev/null || skip "two machines need $tool"
done
if ! unshare -n true 2>/dev/null; then
  unshare -Urn true 2>/dev/null || skip "neither this user nor a user namespace of his may make network namespaces"
  # shellcheck disable=SC2016
  exec unshare -Urn bash -c 'ip link set lo up && exec bash "$0" "$@"' "$0" "$@"
fi

machines=()

make_machines() {
  local side
  for side in 0 1; do
    unshare -n sleep 3600 &>/dev/null &
    machines[side]=$!
    until [ "$(readlink "/proc/${machines[side]}/ns/net")" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done
  done
  on_machine 0 ip link add link0 type veth peer name link1 netns "${machines[1]}" ||
    skip "this system has no virtual cards (veth)"
  for side in 0 1; do
    on_machine $side ip link set lo up
    on_machine $side ip address add 10.77.0.$((side + 1))/24 dev link$side
    on_machine $side ip address add fd77::$((side + 1))/64 dev link$side nodad
    mend_link $side
  done
}

remove_machines() { [ ${#machines[@]} = 0 ] || kill "${machines[@]}"; }

on_machine() {
  local machine=${machines[$1]}
  shift
  nsenter --target "$machine" --net -- "$@"
}

# Data that can be sent in 5 ms pass at once; data that would wait longer than 400 ms are dropped, as in a
# router.
limit_link() {
  local side burst=$(($1 * 625))
  for side in 0 1; do
    on_machine $side tc qdisc replace dev link$side root tbf rate "$1mbit" burst $((burst > 4000 ? burst : 4000)) \
      latency 400ms || skip "this system cannot limit a card's rate (tbf)"
  done
}

cut_link() { on_machine "$1" ip link set "link$1" down; }
mend_link() { on_machine "$1" ip link set "link$1" up; }
