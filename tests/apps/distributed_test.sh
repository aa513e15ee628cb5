#!/usr/bin/env bash
# One training by several processes gives what one process gives, and goes on with another number of them.
source "$(dirname "$0")/common.sh"
make_experiment
train=(transformer-train --quiet --threads 1 --config experiment.yaml --set train.log_every=1 --set train.save_every=2
  --set train.keep=5 --set train.bleu_every=4 --set decode.length_offset=3)

# With dropout: masks depend on the sentence, not on the process.
"${train[@]}" --run one
for width in 2 4; do
  "${train[@]}" --run "w$width" --processes $width
  same_course one w$width 1e-5
done
"${train[@]}" --run sharded --processes 2 --set distributed.shard_moments=true
same w2 sharded
"${train[@]}" --run bf16 --processes 2 --set distributed.gradients=bf16
same_course one bf16 0.1
[ "$(difference one bf16)" != "$(difference one w2)" ] || fail "distributed.gradients: bf16 rounds nothing"

# A training that is gone on with.
"${train[@]}" --run stopped --processes 2 --set train.steps=8
"${train[@]}" --run stopped --processes 2 --resume
same w2 stopped
"${train[@]}" --run moving --set train.steps=4
"${train[@]}" --run moving --set train.steps=8 --set distributed.shard_moments=true --processes 4 --resume 2>moving.log
"${train[@]}" --run moving --processes 2 --resume 2>>moving.log
same_course one moving 1e-5
check "told of the processes" says "began with 1 process and goes on with 4" <moving.log
check "told of the processes" says "began with 4 processes and goes on with 2" <moving.log

# Translations in order, each as one process makes it; long lines are told of once.
{
  cat data/test.en
  printf '%.0sword ' {1..3000}
  printf '\n\nlast line without an end'
} >text.en
for options in "" "--nbest 2 --beam 3 --alpha 0.6" "--precision int8"; do
  # shellcheck disable=SC2086  # several words
  translate=(transformer-translate --quiet --model one --length-offset 3 $options)
  "${translate[@]}" --input text.en --output "one$options.de" 2>one.log
  for width in 2 3; do
    "${translate[@]}" --processes $width <text.en >"many$options.de" 2>many.log
    cmp "one$options.de" "many$options.de" || fail "translations by $width processes differ ($options)"
    cmp <(cut -d' ' -f2- one.log) <(cut -d' ' -f2- many.log) || fail "messages by $width processes differ"
  done
done
transformer-translate --quiet --model one --processes 2 </dev/null >none.de
check "nothing to translate" [ ! -s none.de ]
echo 'a small dog' | transformer-translate --model one --processes 3 2>&1 >/dev/null | says 'translating 1  1 line ' ||
  fail "a line that is counted once for each process"
check "a model that is not there is told of once" [ "$(transformer-translate --model nowhere --processes 3 2>&1 \
  </dev/null | grep -c 'rank .: .*nowhere')" = 1 ]

# More processes than sentences: with one sentence an update, most have nothing of their own.
single=("${train[@]}" --set train.steps=4 --set train.source_tokens=1 --set train.target_tokens=1)
"${single[@]}" --run single
"${single[@]}" --run single3 --processes 3
same_course single single3 1e-5

# What a launcher of another program says is understood as well.
launched() { # NAMES… for rank, local rank, size
  local rank processes=()
  for rank in 0 1; do
    env OMP_NUM_THREADS=1 MASTER_ADDR=127.0.0.1 MASTER_PORT=$port "$1=$rank" "$2=$rank" "$3=2" \
      "${train[@]}" --run "$4" &
    processes+=($!)
  done
  for process in "${processes[@]}"; do wait "$process" || fail "$4 by $1 ended with status $?"; done
  same w2 "$4"
}
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
launched RANK LOCAL_RANK WORLD_SIZE torchrun
launched SLURM_PROCID SLURM_LOCALID SLURM_STEP_NUM_TASKS slurm
launched OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_LOCAL_RANK OMPI_COMM_WORLD_SIZE mpi
finish
