#!/usr/bin/env bash
# Measures everything on one NVIDIA GPU in at most eight minutes: what is computed there, how near that is to the card's
# limit, and how fast PyTorch and CTranslate2 are beside it.
#   measure.sh [--only STEP,…] [--device cuda|fake] [ARCHIVE [RESULTS]]
# ARCHIVE: what pack.sh made, build/gpu.tar.xz if not told. RESULTS: a folder; $OUT, or runs/gpu if that is not set.
# Needed: Python 3 with torch for CUDA, or LIBTORCH; for kernels' bytes, ncu. What is missing is not run, and the table
# says so. STEP: machine, tests, train, peers, decode, kernels, several; without --only all. --device fake tries the
# script itself, on a device that computes on the CPU and with small sizes: its figures mean nothing.
# RESULTS holds table.md, results.jsonl (a result a line), tests.log, log.txt, kernels.csv and trace.json.gz.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
steps=(machine:20 tests:90 train:110 peers:95 decode:65 kernels:60 several:40) # with the seconds that each may take
refuse() {
  echo "measure.sh: $*" >&2
  exit 2
}

# --- A step: measure.sh --step NAME -------------------------------------------------------------------------------------

# not_run WHAT WHY
not_run() { python3 -c 'import json, sys; print(json.dumps({"not_run": sys.argv[1], "why": sys.argv[2]}))' "$1" "$2" >>"$results/results.jsonl"; }
# attempt WHAT COMMAND…  says in the results that it was not run where it fails, with the last line of its messages.
attempt() {
  local what=$1 errors=$pack/errors status=0
  shift
  "$@" 2>"$errors" || status=$?
  cat "$errors" >&2
  [ $status = 0 ] || not_run "$what" "$(grep -v '^ *$' "$errors" | tail -n 1 | cut -c1-300)"
}
# ours LABEL COMMAND…  transformer-bench; the label goes into its result.
ours() {
  local label=$1 lines=$pack/lines
  shift
  echo "$label" >&2
  : >"$lines"
  attempt "$label" on_device transformer-bench "$@" --quiet --json --append "$lines" >/dev/null
  sed "s/^{/{\"label\":\"$label\",/" "$lines" >>"$results/results.jsonl"
}
# peer LABEL SCRIPT…
peer() {
  local label=$1 lines=$pack/lines
  shift
  echo "$label" >&2
  attempt "$label" python3 "$here/../peers/$@" >"$lines"
  sed "s/^{/{\"label\":\"$label\",/" "$lines" >>"$results/results.jsonl"
}
on_device() {
  if [ "$device" = fake ]; then LD_PRELOAD=$pack/lib/libtransformer_fake_device.so "$@" --device fake; else "$@" --device "$device"; fi
}

step_machine() {
  python3 "$here/machine.py" >>"$results/results.jsonl"
  ours copy copy --size $((small ? 8 : 2048))
  [ "$small" = 1 ] || ours gemm gemm
}

# All at once: the card is shared, and nothing is timed.
step_tests() {
  local -A running=()
  local name
  begin() { # NAME COMMAND…
    local log=$pack/test.$1
    timeout 80 "${@:2}" >"$log" 2>&1 &
    running[$1]=$!
  }
  export TRANSFORMER_TEST_DEVICE=$device OMP_NUM_THREADS=1
  if [ "$device" = fake ]; then # its own tests run in every test of the project; here, that they are packed
    unset TRANSFORMER_TEST_DEVICE
    begin fake_device test_fake_device "[#fake_device_test]" --filenames-as-tags
  else
    begin options test_fake_device "[device]"
    for name in runtime train models; do begin $name test_$name "[cuda]"; done
    begin programs bash "$here/../apps/device_test.sh" "$here/../.." cuda
    begin several bash "$here/../apps/several_devices_test.sh" "$here/../.." cuda
  fi
  for name in "${!running[@]}"; do
    local status=0
    wait "${running[$name]}" || status=$?
    { echo "== $name: status $status" && cat "$pack/test.$name"; } >>"$results/tests.log"
    echo "{\"test\":\"$name\",\"status\":$status}" >>"$results/results.jsonl"
  done
}

step_train() {
  local tokens=25000 seconds=2 length without
  [ "$small" = 0 ] || tokens=60 seconds=0.01
  train() { # LABEL CONFIG SHAPE PRECISION [OPTION…]
    local shape=$3
    [ "$small" = 0 ] || shape=config
    ours "$1" train --config "$pack/$2.yaml" --shape "$shape" --precision "$4" --tokens "$tokens" --seconds "$seconds" "${@:5}"
  }
  train "base bf16" train base bf16 --write-batches "$pack/batches"
  train "mixed lengths" train base bf16 --set train.bucket_tokens=$((small ? 20 : 4096))
  train "base fp16" train base fp16
  train "big bf16" train big bf16
  for length in 12 24 48 96; do train "length $length" length-$length base bf16; done
  for without in next-batch recurring-shapes short-attention own-kernels graphs; do train "without $without" train base bf16 --without $without; done
  miniature() { # LABEL [OPTION…]
    tokens=$((small ? 60 : 1024)) train "$1" miniature config bf16 \
      --set model.layers=3 --set model.d_model=128 --set model.d_ff=512 --set model.d_k=32 --set model.d_v=32 "${@:2}"
  }
  miniature "miniature bf16"
  miniature "miniature without graphs" --without graphs
  train "base fp32" train base fp32
  [ "$device" != cuda ] || train "base tf32" train base tf32
}

step_peers() {
  local where=$device options=(--seconds 3)
  [ "$small" = 0 ] || where=cpu options=(--seconds 0.1 --warmup 1 --updates 3)
  [ -s "$pack/batches" ] || { not_run "PyTorch" "the step train wrote no batches" && return; }
  pytorch() { peer "$1" pytorch_train.py "$pack/data/train" "$pack/batches" --device "$where" "${options[@]}" "${@:2}"; }
  if [ "$small" = 1 ]; then
    pytorch "PyTorch base bf16" --shape small --precision bf16
    return
  fi
  pytorch "PyTorch base bf16" --shape base --precision bf16
  pytorch "PyTorch base fp16" --shape base --precision fp16
  pytorch "PyTorch base tf32" --shape base --precision tf32
  pytorch "PyTorch big bf16" --shape big --precision bf16
  pytorch "PyTorch base bf16 compiled" --shape base --precision bf16 --compile
}

# Ours with random weights that never end an output, and CTranslate2 forced to the same 24 tokens.
step_decode() {
  local count precision=fp16 tokenizer=$pack/data/train/tokenizer.model where=$device type=float16 model=$pack/ct2
  local one=(--shape base --tokenizer "$tokenizer" --precision $precision --repetitions $((small ? 1 : 3))) counts=(1 64 512)
  [ "$small" = 0 ] || where=cpu type=float32 counts=(1 4) one[1]=small
  lines_of() { if [ "$1" = 1 ]; then head -n $((small ? 1 : 16)) "$pack/512.xx"; else head -n "$1" "$pack/512.xx"; fi >"$pack/text.xx"; }
  for count in "${counts[@]}"; do
    lines_of "$count"
    ours "decode $count" decode "${one[@]}" --text "$pack/text.xx" --batch-tokens $((count == 1 ? 1 : 1000000))
  done
  lines_of "${counts[1]}"
  ours "decode without graphs" decode "${one[@]}" --text "$pack/text.xx" --batch-tokens 1000000 --without graphs
  attempt "a model for CTranslate2" on_device transformer-train --quiet --config "$pack/train.yaml" --run "$pack/run" --set train.steps=2 \
    --set train.warmup=2 --set train.eval_every=2 --set train.save_every=2 --set train.source_tokens=500 --set train.target_tokens=500
  attempt "an export for CTranslate2" transformer-export --quiet --model "$pack/run" --format ctranslate2 --output "$model" >/dev/null
  [ -e "$model/model.bin" ] || return 0
  for count in "${counts[@]}"; do
    lines_of "$count"
    peer "CTranslate2 $count" ctranslate2_decode.py "$model" "$model/tokenizer.model" "$pack/text.xx" --device "$where" --types $type \
      --settings "$count:1:1" --force 24
  done
}

# One update of base in bf16: what each kind of kernel takes, by ncu, and when nothing runs, by a trace.
step_kernels() {
  local update=(train --config "$pack/train.yaml" --shape $([ "$small" = 1 ] && echo config || echo base) --precision bf16 --tokens $((small ? 60 : 25000)) --seconds 0.01)
  attempt "a trace" on_device transformer-bench "${update[@]}" --quiet --trace "$pack/trace.json" >/dev/null
  if [ -s "$pack/trace.json" ]; then
    gzip -c "$pack/trace.json" >"$results/trace.json.gz"
    python3 "$here/kernels.py" trace "$pack/trace.json" >>"$results/results.jsonl"
  fi
  command -v ncu >/dev/null || { not_run "kernels' bytes" "ncu is not installed" && return; }
  [ "$device" = cuda ] || { not_run "kernels' bytes" "no CUDA device" && return; }
  export GOMP_SPINCOUNT=80000 # or the program would begin once more, and ncu follow it
  attempt "kernels' bytes" ncu --csv --clock-control none --profile-from-start off --log-file "$results/kernels.csv" \
    --metrics gpu__time_duration.sum,dram__bytes_read.sum,dram__bytes_write.sum \
    transformer-bench "${update[@]}" --quiet --device cuda --mark-update >/dev/null
  python3 "$here/kernels.py" ncu "$results/kernels.csv" >>"$results/results.jsonl"
}

# As many processes as there are GPUs, by NCCL; and two that share the first one, through the host's memory.
step_several() {
  local update=(train --config "$pack/train.yaml" --shape $([ "$small" = 1 ] && echo config || echo base) --precision bf16
    --tokens $((small ? 60 : 25000)) --seconds "$([ "$small" = 1 ] && echo 0.01 || echo 2)") gpus
  gpus=$({ nvidia-smi -L 2>/dev/null || true; } | wc -l)
  if [ "$gpus" -ge 2 ]; then
    ours "$gpus GPUs" "${update[@]}" --processes "$gpus"
  else
    not_run "several GPUs" "one card"
  fi
  [ "$device" = fake ] || device=cuda:0
  ours "two processes on one GPU" "${update[@]}" --processes 2
}

if [ "${1:-}" = --step ]; then
  "step_$2"
  exit
fi

# --- All of them --------------------------------------------------------------------------------------------------------

only= device=cuda archive= results=
while [ $# -gt 0 ]; do
  case $1 in
    --only) only=,${2:?--only: expected steps behind it, found none}, && shift 2 ;;
    --device) device=${2:?--device: expected cuda or fake behind it, found nothing} && shift 2 ;;
    --help | -h) sed -n '2,10s/^# \{0,1\}//p' "$0" && exit ;;
    -*) refuse "$1: expected --only, --device, an archive or a folder, found another option" ;;
    *) if [ -z "$archive" ]; then archive=$1; else results=$1; fi && shift ;;
  esac
done
archive=${archive:-$here/../../build/gpu.tar.xz}
[ -f "$archive" ] || refuse "$archive: expected the archive that tests/gpu/pack.sh makes, found none"
for step in ${only//,/ }; do
  [[ " ${steps[*]} " = *" $step:"* ]] || refuse "--only $step: expected some of ${steps[*]%%:*}"
done
case $device in
  cuda) small=0 ;;
  fake) small=1 ;;
  *) refuse "--device $device: expected cuda or fake" ;;
esac
results=${results:-${OUT:-runs/gpu}}
mkdir -p "$results"
[ ! -e "$results/results.jsonl" ] || refuse "$results: expected a new folder, found results in it"
results=$(cd "$results" && pwd)
torch=${LIBTORCH:-$(python3 -c 'import torch; print(torch.__path__[0])' 2>/dev/null || true)}
[ -e "$torch/lib/libtorch_cpu.so" ] || refuse "expected a Python with torch, or LIBTORCH with a folder that has lib/libtorch_cpu.so, found neither"

pack=$(mktemp -d)
trap 'rm -rf "$pack"' EXIT
python3 -m tarfile -e "$archive" "$pack" # where there is no xz, Python has it
if [ "$small" = 1 ]; then sed -i 's/^data: .*/&\nmodel: {layers: 1, d_model: 64, d_ff: 64, heads: 2, d_k: 32, d_v: 32}/' "$pack"/*.yaml; fi
nvidia=$(dirname "$torch")/nvidia/cu13/lib
# CTranslate2 asks for CUDA 12's product library by name; what it calls of it is in CUDA 13's, too.
for library in cublas cublasLt; do [ ! -e "$nvidia/lib$library.so.13" ] || ln -s "$nvidia/lib$library.so.13" "$pack/lib/lib$library.so.12"; done
export PATH=$pack/bin:$PATH PYTHONPATH=$pack/python${PYTHONPATH:+:$PYTHONPATH} PYTHONUNBUFFERED=1
export LD_LIBRARY_PATH=$pack/lib:$torch/lib:$nvidia${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export pack results device small

for step in "${steps[@]}"; do
  name=${step%:*} limit=${step#*:}
  [ -z "$only" ] || [[ $only = *,$name,* ]] || continue
  began=$SECONDS status=0
  echo "== $name" | tee -a "$results/log.txt" >&2
  timeout --kill-after=5 "$limit" bash "$0" --step "$name" 2>&1 | tee -a "$results/log.txt" >&2 || status=$?
  echo "{\"step\":\"$name\",\"seconds\":$((SECONDS - began)),\"limit\":$limit,\"status\":$status}" >>"$results/results.jsonl"
done
python3 "$here/table.py" "$results/results.jsonl" | tee "$results/table.md"
