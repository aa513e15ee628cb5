#!/usr/bin/env bash
# A full disk ends each program with a message, and what was there stays; with room again, work goes on.
if [ -z "${FULL_DISK_INSIDE:-}" ]; then
  if ! unshare --map-root-user --mount true 2>/dev/null; then
    echo "skipped: no file system can be mounted here" >&2
    exit 4
  fi
  FULL_DISK_INSIDE=1 exec unshare --map-root-user --mount bash "$0" "$@"
fi
source "$(dirname "$0")/common.sh"
make_experiment
mkdir disk
mount -t tmpfs -o size=1500k none disk

# full COMMAND…: it must end with status 1 and one line about the disk.
full() {
  local status=0
  "$@" >output 2>error </dev/null || status=$?
  [ "$status" = 1 ] || fail "status $status instead of 1: $*: $(cat error)"
  [ "$(wc -l <error)" = 1 ] || fail "$(wc -l <error) lines instead of one: $*: $(cat error)"
  grep -q 'No space left on device' error || fail "no word about the disk: $*: $(cat error)"
  grep -q '^error: \(.*/\)\?disk/[a-z]' error && ! grep -q partial error || fail "another name than the user's: $*: $(cat error)"
}

train() {
  transformer-train --quiet --threads 1 --config experiment.yaml --set train.save_every=1 --set train.keep=99 "$@"
}
train --run whole

full train --run disk/run
[ -n "$(ls -d disk/run/checkpoints/step-*)" ] || fail "there was room for a checkpoint at least"
for checkpoint in disk/run/checkpoints/step-*; do
  (cd "$checkpoint" && sha256sum --quiet -c checksums.sha256) || fail "$checkpoint is damaged"
done
before=$(ls disk/run/checkpoints)
full train --run disk/run --resume
[ "$before" = "$(ls disk/run/checkpoints)" ] || fail "checkpoints were lost"

head -c 4000000 /dev/zero >disk/fill 2>/dev/null || true
full transformer-average --quiet --run whole --last 3 --output disk/average
full transformer-prepare --quiet --config experiment.yaml --set data.prepared=disk/prepared
for format in torchscript safetensors marian ctranslate2; do
  full transformer-export --quiet --threads 1 --model whole --format $format --sentences 2 --output disk/exported
done
full transformer-translate --quiet --threads 1 --model whole --input data/test.en --output disk/translation
[ "$(ls -A disk | tr '\n' ' ')" = "fill run " ] || fail "left on the full disk: $(ls -A disk)"

mount -o remount,size=50m disk
train --run disk/run --resume
cmp whole/checkpoints/last/model.safetensors disk/run/checkpoints/last/model.safetensors || fail "weights differ"
[ "$(wc -l <whole/metrics.jsonl)" = "$(wc -l <disk/run/metrics.jsonl)" ] || fail "metrics differ"
umount disk
finish
