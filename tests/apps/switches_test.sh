#!/usr/bin/env bash
# tools/switches.sh trains, stops, resumes and translates with a switch, on data whose configuration has a schedule of its own.
source "$(dirname "$0")/common.sh"
make_experiment
sed -i 's/^train: {/&schedule: linear, /' experiment.yaml
small=(model.layers=1 model.d_model=16 model.d_ff=16 model.heads=2 model.d_k=8 model.d_v=8 train.source_tokens=100 train.target_tokens=100)
runs=runs
run() { "$source_dir/tools/switches.sh" experiment.yaml data/test.en $runs "$@" "${small[@]}"; }

SWITCHES='norm: pre|positions: every_layer' run >table || fail "status $?: $(cat table)"
[ "$(grep -c '| yes | engine |$' table)" = 1 ] && says '^| `model.norm: pre` | [0-9.]* | yes | engine |$' <table || fail "$(cat table)"
says '^| `model.positions: every_layer` | [0-9.]* | yes | modules |$' <table || fail "$(cat table)"
[ "$(wc -l <table)" = 4 ] || fail "other switches: $(cat table)"

# What is there stays.
echo mine >runs/norm-pre/mine
SWITCHES='norm: pre' run >table 2>error && fail "a run was replaced: $(cat table)"
says '^runs/norm-pre: expected nothing, found something' <error && [ -e runs/norm-pre/mine ] || fail "what was there: $(cat error)"

# What fails is said, and shows in the status.
status=0
runs=other
SWITCHES='norm: pre' run model.d_model=0 >table 2>error || status=$?
[ "$status" = 1 ] && says '^| `model.norm: pre` | failed | | |$' <table || fail "status $status: $(cat table error)"
status=0
SWITCHES='no such switch' run 2>error >/dev/null || status=$?
[ "$status" = 2 ] && says "^SWITCHES: expected what matches a switch" <error || fail "status $status: $(cat error)"
finish
