#!/usr/bin/env bash
# parse.sh TRAIN DEV FOLDER [ARGUMENT…]  Trains configs/parsing/small.yaml, a small parser, on TRAIN, a file of bracketed
# trees, and parses the sentences of DEV, which it scores by PARSEVAL. All results go to FOLDER. A second run resumes where
# the first one stopped, or shows the results again. The programs are those of the PATH. Further arguments go to
# transformer-train, such as --set train.steps=300.
set -euo pipefail
[ $# -ge 3 ] || { echo "usage: parse.sh TRAIN DEV FOLDER [ARGUMENT OF transformer-train…]" >&2 && exit 2; }
train=$(realpath "$1") dev=$(realpath "$2") folder=$3
shift 3
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
settings=(--config "$root/configs/parsing/small.yaml" --set "data.train=$train" --set "data.dev=$dev"
  --set "data.prepared=$folder/prepared")
transformer-prepare "${settings[@]}" --quiet
transformer-train "${settings[@]}" --run "$folder/run" --resume "$@"

text=$folder/prepared/dev
transformer-translate --model "$folder/run" --input "$text.source.txt" --output "$folder/dev.parsed" --overwrite
echo
for number in 1 2 3; do
  for part in "words:$text.source.txt" "found:$folder/dev.parsed" "tree:$text.target.txt"; do
    printf '%-6s %s\n' "${part%%:*}" "$(sed -n "${number}p" "${part#*:}")"
  done
  echo
done
transformer-evaluate --hypothesis "$folder/dev.parsed" --reference "$text.target.txt" --metrics parseval
