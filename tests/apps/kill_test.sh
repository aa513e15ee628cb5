#!/usr/bin/env bash
# A training that is killed, and stopped with signals, at random moments ends like one that was left alone.
# KILLS=200 SEED=7 bash kill_test.sh SOURCE_DIR   does so at length.
source "$(dirname "$0")/common.sh"
kills=${KILLS:-6}
RANDOM=${SEED:-1}
make_experiment
steps=$((kills * 40))
# A command, not a function: the signals are to reach the program itself.
train=(transformer-train --quiet --threads 1 --config experiment.yaml
  --set train.steps=$steps --set train.eval_every=7 --set train.save_every=3 --set train.keep=5 --set train.best=bleu
  --set train.bleu_every=14 --set decode.length_offset=3)

# Whatever happened, each checkpoint that can be seen is whole.
check_checkpoints() {
  local checkpoint
  for checkpoint in "$1"/checkpoints/step-*; do
    [ ! -e "$checkpoint" ] || (cd "$checkpoint" && sha256sum --quiet -c checksums.sha256) >/dev/null ||
      fail "$checkpoint is not whole after $2"
  done
}

# stop_once RUN SIGNAL  goes on with a run, and sends it the signal at a random moment. Sets $status.
stop_once() {
  "${train[@]}" --run "$1" --resume 2>>"$1.errors" &
  local process=$! asked
  sleep "$((RANDOM % 2)).$((RANDOM % 10))$((RANDOM % 10))"
  asked=$(date +%s%N)
  kill "-${2#TWICE-}" $process 2>/dev/null || true
  if [[ $2 = TWICE-* ]]; then # a second signal ends it at once, wherever it is; but for HUP
    sleep 0.0$((RANDOM % 10))
    kill "-${2#TWICE-}" $process 2>/dev/null || true
  fi
  status=0
  wait $process 2>/dev/null || status=$?
  local waited=$((($(date +%s%N) - asked) / 1000000))
  # A shell lets its background jobs ignore SIGINT until they ask for it: such a one was not stopped.
  [ $status != 130 ] || [ $waited -le $longest ] || longest=$waited
}

# Some of the kills must have come amid a save.
enough() { [ $killed -ge "$kills" ] && { [ $amid_saves -gt 0 ] || [ $killed -ge $((5 * kills)) ]; }; }

"${train[@]}" --run whole
longest=0 killed=0 amid_saves=0 stopped=0 run=0 status=0
until enough; do
  run=$((run + 1))
  until [ -e "run$run/done" ] || enough; do
    signals=(KILL KILL KILL KILL KILL TERM INT HUP TWICE-INT TWICE-HUP)
    signal=${signals[$((RANDOM % 10))]}
    stop_once run$run $signal
    case $signal,$status in
      KILL,137)
        killed=$((killed + 1))
        # What a save had begun lies there, and the run goes on without it.
        [ -z "$(find run$run/checkpoints -name '.step-*.partial-*' 2>/dev/null)" ] || amid_saves=$((amid_saves + 1))
        ;;
      *,130) stopped=$((stopped + 1)) ;;
      TERM,143 | *HUP,129) ;; # before the program could ask for signals
      *,0) touch run$run/done ;;
      *) fail "$signal gave status $status" ;;
    esac
    check_checkpoints run$run "$signal"
  done
  "${train[@]}" --run run$run --resume
  for file in model.safetensors optimizer.safetensors trainer.json; do
    cmp whole/checkpoints/last/$file run$run/checkpoints/last/$file || fail "$file differs"
  done
  [ "$(ls whole/checkpoints)" = "$(ls run$run/checkpoints)" ] || fail "the checkpoints that were kept differ"
  for link in last best; do
    [ "$(readlink whole/checkpoints/$link)" = "$(readlink run$run/checkpoints/$link)" ] || fail "$link differs"
  done
  for folder in whole run$run; do
    for name in metrics samples; do
      sed -E 's/"(tokens_per_second|seconds|time)":[^,}]*//g' $folder/$name.jsonl >$folder.$name
    done
    transformer-translate --quiet --threads 1 --model $folder --length-offset 3 <data/test.en >$folder.de
  done
  cmp whole.metrics run$run.metrics || fail "metrics differ"
  cmp whole.samples run$run.samples || fail "sample translations differ"
  cmp whole.de run$run.de || fail "translations differ"
  [ -z "$(find run$run -name '*.partial-*' -o -name '*.damaged*')" ] || fail "something is left over in run$run"
done
# A signal to a program that ends by itself at that very moment.
for _ in $(seq 20); do
  "${train[@]}" --run whole --resume &
  process=$!
  sleep "0.$((RANDOM % 5))$((RANDOM % 10))"
  kill -TERM $process 2>/dev/null || true
  status=0
  wait $process 2>/dev/null || status=$?
  [[ " 0 130 143 " = *" $status "* ]] || fail "TERM at the end gave status $status"
done
[ $amid_saves -gt 0 ] || fail "none of $killed kills came amid a save, which is what is tested"
echo "$killed kills ($amid_saves of them amid a save) and $stopped signals, $run runs of $steps steps; the slowest stop took $longest ms"
grep -hv 'stopping\|interrupted' run*.errors && fail "unexpected messages"
finish
