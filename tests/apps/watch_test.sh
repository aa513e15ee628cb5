#!/usr/bin/env bash
# What shows a run while it trains: metrics, samples, event files, and the page that is drawn of them.
source "$(dirname "$0")/common.sh"
make_experiment
train=(transformer-train --quiet --threads 1 --config experiment.yaml)

"${train[@]}" --run whole
[ "$(grep -c '"step":4,"split":"dev","sentence"' whole/samples.jsonl)" = 4 ] || fail "four samples an evaluation"
[ "$(wc -l <whole/samples.jsonl)" = 12 ] || fail "samples of three evaluations"
"${train[@]}" --run none --set train.samples=0 --set train.tensorboard=false
[ ! -s none/samples.jsonl ] && [ ! -e none/tensorboard ] || fail "samples or events that nobody asked for"
same whole none

# Which sentences an update had: those whose tokens the run counted, and the same again after resuming.
transformer-inspect --run whole --update 2 --json >update.json
python3 - <<'PYTHON' || fail "the examples of an update"
import json
update = json.load(open("update.json"))
lines = [json.loads(line) for line in open("whole/metrics.jsonl")]
rates = {line["step"]: line["learning_rate"] for line in lines}
assert abs(update["learning_rate"] / rates[2] - 1) < 1e-12, (update["learning_rate"], rates)
examples = [example for examples in update["passes"] for example in examples]
assert len({example["number"] for example in examples}) == len(examples) > 1
assert update["target_tokens"] == sum(len(example["target"]["ids"]) for example in examples)
assert all(example["source"]["text"] and example["target"]["text"] for example in examples)
PYTHON
transformer-inspect --run whole --update 2 | grep -q "^update 2: update 1 of epoch 0, both from 0, .* target tokens" ||
  fail "an update as text"
status=0
transformer-inspect --run whole --update 13 2>errors || status=$?
[ $status = 2 ] && grep -q -- "--update: expected a number from 1 to 12, the run's train.steps, found 13" errors ||
  fail "an update that the run does not have: $(cat errors)"

# A run in two parts has the same lines as the whole one, but for times. The second begins after a checkpoint that is older
# than the last evaluation.
"${train[@]}" --run parts --set train.steps=9
rm -r parts/checkpoints/step-00000009
ln -sfn step-00000008 parts/checkpoints/last
"${train[@]}" --run parts --resume --set train.steps=12
same whole parts
python3 - <<'PYTHON' || fail "a resumed run's lines and events"
import glob, json, struct

def lines(run, name):
    kept = [json.loads(line) for line in open(f"{run}/{name}.jsonl")]
    return [{key: line[key] for key in line if key not in ("time", "seconds", "tokens_per_second")} for line in kept]

def events(run, split):
    data, steps = open(max(glob.glob(f"{run}/tensorboard/{split}/*")), "rb").read(), []
    while data:
        [length] = struct.unpack("<Q", data[:8])
        record, data = data[12:12 + length], data[16 + length:]
        assert record[0] == 0x09 and record[9] in (0x10, 0x1A)  # a time; then a step, or the version
        steps.append(record[10] if record[9] == 0x10 else None)  # steps below 128 are a byte
    return steps

for name in "metrics", "samples":
    assert lines("whole", name) == lines("parts", name), name
for run in "whole", "parts":
    assert events(run, "train") == [None, 0, 2, 4, 6, 8, 10, 12], events(run, "train")
    # The metrics of all lines that were there come before the samples of all when a run goes on.
    assert sorted(events(run, "dev")[1:]) == [0] + 5 * [4] + 5 * [8] + 5 * [12], events(run, "dev")
PYTHON

transformer-inspect --run whole --output one.html
grep -q '<title>whole</title>' one.html && grep -q 'Not measured so far: BLEU' one.html || fail "the page of a run"
transformer-inspect --run whole none --over time --smooth 0.5 --output two.html
grep -q '<title>2 runs</title>' two.html && grep -q 'weight 0.5' two.html || fail "the page of two runs"
grep -q 'seconds of training' two.html || fail "a page over time"
transformer-inspect --run whole --output - | says '<title>whole</title>' || fail "the page on standard output"
! transformer-inspect --run whole --output one.html 2>errors || fail "a page was replaced"
grep -q 'one.html' errors || fail "what is in the way is not named"
transformer-inspect --run whole --run none --output one.html --overwrite
grep -q '<title>2 runs</title>' one.html || fail "the page was not replaced"
cp whole/metrics.jsonl before
! transformer-inspect --run whole --output whole/metrics.jsonl --overwrite 2>errors || fail "a page in the place of its run's metrics"
cmp before whole/metrics.jsonl || fail "metrics were replaced"
for _ in 1 2; do transformer-inspect --run whole --output whole/page.html --overwrite || fail "a page in its run"; done

# A run that is written to: half a line at its end is left for the next time.
cp -r none growing
head -n -1 none/metrics.jsonl | head -c -20 >growing/metrics.jsonl # half of the line of the last update
transformer-inspect --run growing --output growing.html --watch 1 &
watcher=$!
until [ -e growing.html ]; do sleep 0.05; done
grep -q 'http-equiv="refresh" content="1"' growing.html || fail "a page that does not follow"
grep -q '>10</td>' growing.html || fail "the line before the half one"
cp none/metrics.jsonl growing/whole && mv growing/whole growing/metrics.jsonl
for _ in $(seq 100); do
  ! grep -q '>12</td>' growing.html || break
  sleep 0.1
done
grep -q '>12</td>' growing.html || fail "the page is not written anew"
kill $watcher
status=0
wait $watcher || status=$?
[ $status = 130 ] || fail "a watcher that is stopped: status $status"
# What somebody puts in the place of the page stays.
rm growing.html
transformer-inspect --run growing --output growing.html --watch 1 2>errors &
watcher=$!
until [ -e growing.html ]; do sleep 0.05; done
echo mine >new && mv new growing.html
status=0
wait $watcher || status=$?
[ $status = 2 ] && grep -q 'growing.html: expected the page that was written there, found another file' errors &&
  [ "$(cat growing.html)" = mine ] || fail "a file in the place of the page: status $status, $(cat errors)"
[ "$(find . -name '*.partial-*')" = "" ] || fail "something is left over"
finish
