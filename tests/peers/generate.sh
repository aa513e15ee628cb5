#!/usr/bin/env bash
# Continues texts here and with other programs, in turn, and prints tokens a second and ratios.
#   generate.sh PYTHON LLAMA_PYTHON MODEL FOLDER [THREADS]
# PYTHON: with CTranslate2 and transformers (tests/formats/setup.sh makes one); LLAMA_PYTHON: with llama-cpp-python
# (tests/formats/setup_llama.sh), or - for none. MODEL: a directory of a model with the layers of Llama, which all of
# them know. FOLDER: for its exports and results.jsonl. The programs of this project are found along PATH.
set -euo pipefail
python=$1 llama=$2 model=$3 folder=$4 threads=${5:-2}
here=$(dirname "$0")
mkdir -p "$folder"
results=$folder/results.jsonl
: >"$results"
export OMP_NUM_THREADS=$threads
for format in huggingface ctranslate2; do
  [ -e "$folder/$format" ] || transformer-export --model "$model" --format $format --output "$folder/$format" >&2
done
if [ "$llama" != - ]; then
  [ -e "$folder/f32.gguf" ] || transformer-export --model "$model" --format gguf --output "$folder/f32.gguf" >&2
  [ -e "$folder/q8.gguf" ] || transformer-export --model "$model" --format gguf --precision int8 --output "$folder/q8.gguf" >&2
fi
ours() { transformer-bench generate --model "$model" --threads "$threads" --append "$results" "$@" >&2; }
peer() { "$@" --threads "$threads" >>"$results"; }
for texts in 1 32; do
  for precision in fp32:float32 int8:int8; do
    ours --precision "${precision%:*}" --texts $texts
    peer "$python" "$here/generate_peer.py" ctranslate2 "$folder/ctranslate2" --precisions "${precision#*:}" --texts $texts
  done
  ours --precision bf16 --texts $texts # which CTranslate2 does not compute on CPUs
done
peer "$python" "$here/generate_peer.py" transformers "$folder/huggingface" --precisions float32 --texts 1,32
if [ "$llama" != - ]; then
  peer "$llama" "$here/generate_peer.py" llama.cpp "$folder/f32.gguf" --precisions float32 --texts 1
  peer "$llama" "$here/generate_peer.py" llama.cpp "$folder/q8.gguf" --precisions q8_0 --texts 1
fi
"$python" - "$results" <<'PYTHON'
import json
import sys

rows = [json.loads(line) for line in open(sys.argv[1])]
alike = {"float32": "fp32", "int8": "int8", "q8_0": "int8"}
print("| texts | precision here | tokens/s | share of the memory's speed | peer | its precision | tokens/s | ratio |")
print("| ---: | --- | ---: | ---: | --- | --- | ---: | ---: |")
for ours in (row for row in rows if "peer" not in row):
    share = f"{ours['share_of_bandwidth']:.2f}" if ours["texts"] == 1 else "–"
    for peer in (row for row in rows if "peer" in row and row["texts"] == ours["texts"]):
        same = alike[peer["precision"]] == ours["precision"]
        if same or (ours["precision"] == "int8" and peer["peer"].startswith("transformers")):
            print(f"| {ours['texts']} | {ours['precision']} | {ours['tokens_per_second']:.1f} | {share} | {peer['peer']} | "
                  f"{peer['precision']} | {peer['tokens_per_second']:.1f} | "
                  f"{ours['tokens_per_second'] / peer['tokens_per_second']:.2f} |")
PYTHON
