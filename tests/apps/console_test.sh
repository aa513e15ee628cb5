#!/usr/bin/env bash
# Whoever reads a program's messages may go away: a reader, a terminal, a connection. That costs the messages alone.
source "$(dirname "$0")/common.sh"
make_experiment
train=(transformer-train --threads 1 --config experiment.yaml --set train.log_every=1) # a command, for signals
same_weights() { cmp whole/checkpoints/last/model.safetensors "$1/checkpoints/last/model.safetensors"; }
"${train[@]}" --run whole 2>/dev/null

# --- Nobody reads standard error, or both -----------------------------------------------------------------------

# Descriptor 5: a pipe without a reader.
mkfifo pipe
exec 4<>pipe 5>pipe 4>&-

# nobody_reads COMMAND…  with nobody at the other end of its standard output and error. Sets $status.
nobody_reads() {
  status=0
  "$@" >&5 2>&5 || status=$?
}
nobody_reads "${train[@]}" --run piped
[ $status = 0 ] || fail "a training whose console is gone: status $status"
same_weights piped || fail "a training whose console is gone ends otherwise"
grep -q 'step 12 dev loss' piped/log.txt && grep -q 'finished after 12 steps' piped/log.txt ||
  fail "the log does not go on without a console: $(cat piped/log.txt)"

{
  status=0
  "${train[@]}" --run head --log-level debug 2>&1 || status=$?
  echo $status >head.status
} | head -n 1 >head.first
[ "$(cat head.status)" = 0 ] && [ "$(wc -l <head.first)" = 1 ] || fail "train 2>&1 | head: status $(cat head.status)"
same_weights head || fail "train 2>&1 | head ends otherwise"

for console in full closed; do
  status=0
  case $console in
    full) "${train[@]}" --run $console 2>/dev/full >/dev/full || status=$? ;;
    closed) "${train[@]}" --run $console <&- >&- 2>&- || status=$? ;;
  esac
  [ $status = 0 ] && same_weights $console || fail "a training with a $console console: status $status"
done
status=0
transformer-train --config nosuch.yaml 2>/dev/full || status=$?
[ $status = 2 ] || fail "an error that nobody can read: status $status"

cat >list.yaml <<YAML
base: experiment.yaml
output: table
YAML
nobody_reads transformer-experiments list.yaml --threads 1
[ $status = 0 ] && [ -s table/base/seed-1/dev.translation ] && grep -q finished table/report.csv ||
  fail "a list of experiments whose console is gone: status $status"
nobody_reads transformer-sweep --run whole --threads 1 --average 1 --beam 1 --output sweep
[ "$(wc -l <sweep)" = 1 ] || fail "a sweep whose console is gone"

# --- Nobody reads standard output, which is what a program is for -------------------------------------------------

seq 20000 | sed 's/.*/Anna sleeps./' >many.en
unread() {
  status=0
  "$@" 2>unread.errors >&5 || status=$?
  [ $status = 1 ] && [ ! -s unread.errors ] || fail "$1 without a reader: status $status, $(cat unread.errors)"
}
unread transformer-translate --quiet --model whole --length-offset 3 --input many.en
unread transformer-inspect --config experiment.yaml
unread transformer-evaluate --hypothesis data/dev.de --reference data/dev.de
unread transformer-evaluate --help
unread transformer-demo-corpus --help
unread transformer-demo-corpus --output unread --train 20 --dev 5 --test 5
[ -s unread/test.en ] || fail "a corpus is not written before it is spoken of"
status=0
transformer-demo-corpus --output full --train 20 --dev 5 --test 5 >/dev/full 2>full.errors || status=$?
[ $status = 1 ] && [ "$(cat full.errors)" = 'error: cannot write to standard output' ] ||
  fail "a corpus without room for its report: status $status, $(cat full.errors)"
nobody_reads transformer-demo-corpus --output data/train.en
[ $status = 2 ] || fail "an error that nobody reads: status $status"
status=0
transformer-demo-corpus --output closed.corpus --train 20 --dev 5 --test 5 <&- >&- 2>&- || status=$?
[ $status = 1 ] && cmp full/train.en closed.corpus/train.en || fail "a corpus without a console: status $status"
started=$SECONDS
transformer-translate --quiet --model whole --length-offset 3 < <(cat many.en; sleep 30) 2>/dev/null | head -n 1 >/dev/null || true
[ $((SECONDS - started)) -lt 30 ] || fail "translate | head does not end before its input"

# --- SIGHUP: the terminal or the connection is gone ---------------------------------------------------------------

# A terminal that closes sends it twice.
status=0
"${train[@]}" --run hung --set train.steps=3000 --set train.save_every=1500 --set train.eval_every=3000 2>hung.errors &
process=$!
until grep -qs '"step":2[0-9]' hung/metrics.jsonl; do sleep 0.05; done
kill -HUP $process
kill -HUP $process 2>/dev/null || true
wait $process || status=$?
[ $status = 130 ] || fail "HUP gave status $status"
grep -q 'everything is saved: go on with --resume' hung/log.txt || fail "nothing said of the stop"
step=$(sed -n 's/.*interrupted after step \([0-9]*\);.*/\1/p' hung/log.txt)
[ "$step" -ge 20 ] && [ -e "hung/checkpoints/step-$(printf %08d "$step")/trainer.json" ] || fail "HUP has not saved"

status=0
nohup "${train[@]}" --run nohup --set train.steps=200 --set train.save_every=100 >/dev/null 2>&1 &
process=$!
until grep -qs '"step":2[0-9]' nohup/metrics.jsonl; do sleep 0.05; done
kill -HUP $process
wait $process || status=$?
[ $status = 0 ] && grep -q 'finished after 200 steps' nohup/log.txt || fail "HUP under nohup gave status $status"

status=0
transformer-experiments list.yaml --quiet --threads 1 --output stopped --set train.steps=2000 >/dev/null 2>stopped.log &
process=$!
until grep -qs '"step":1[0-9][0-9]' stopped/base/seed-1/train/metrics.jsonl; do sleep 0.05; done
kill -HUP $process
wait $process || status=$?
[ $status = 130 ] || fail "HUP to table3 gave status $status"
grep -q 'everything is saved' stopped/base/seed-1/log.txt || fail "what table3 ran has not saved"
pgrep -f "$folder/stopped" >/dev/null && fail "something still runs"

for signal in HUP INT TERM; do
  status=0
  transformer-demo-corpus --output never.$signal --train 9000000 2>never.errors &
  process=$!
  until [ -d never.$signal ]; do sleep 0.05; done # it works
  kill -$signal $process
  wait $process || status=$?
  [ $status = 130 ] && [ -z "$(ls -A never.$signal)" ] && [ ! -s never.errors ] ||
    fail "$signal to demo-corpus gave status $status, $(cat never.errors), $(ls -A never.$signal)"
done

mkfifo lines
status=0
transformer-translate --quiet --model whole --input lines --output translated &
process=$!
exec 3>lines # opened: it reads
sleep 0.5
kill -HUP $process
wait $process || status=$?
exec 3>&-
[ $status = 130 ] && [ -z "$(find . -name '*translated*')" ] || fail "HUP to translate gave status $status"
finish
