#!/usr/bin/env bash
# story.sh FILE FOLDER [ARGUMENT…]  Trains configs/language/story.yaml, a small language model of characters, on
# FILE, a text that may be compressed by gzip, and lets it write. All results go to FOLDER. A second run resumes
# where the first one stopped, or shows the results again. The programs are those of the PATH. Further arguments
# go to transformer-train, such as --set train.steps=300.
set -euo pipefail
[ $# -ge 2 ] || { echo "usage: story.sh FILE FOLDER [ARGUMENT OF transformer-train…]" >&2 && exit 2; }
file=$1 folder=$2
shift 2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
"$root/tools/split_text.sh" "$file" "$folder/data" --lines
folder=$(cd "$folder" && pwd)
settings=(--config "$root/configs/language/story.yaml" --set "data.train=$folder/data/train.txt"
  --set "data.dev=$folder/data/dev.txt" --set "data.prepared=$folder/prepared")
transformer-prepare "${settings[@]}" --quiet >/dev/null
transformer-train "${settings[@]}" --run "$folder/run" --resume "$@"

echo
transformer-score --model "$folder/run" --data dev --metric bits_per_character --output "$folder/dev.counts" --overwrite 2>&1 |
  sed -n 's/.*\(Bits per character.*\)/The last tenth of the text: \1/p'
echo
echo "What it writes:"
echo
transformer-generate --model "$folder/run" --prompt $'\n' --max-tokens 400 --temperature 0.8 --top-k 20 --quiet
