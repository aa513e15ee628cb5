#!/usr/bin/env bash
# What the encoder is compared with: SentencePiece's own program, which uses one thread, on the same text.
#   prepare.sh MODEL TEXT  prints the megabytes (10^6 bytes) of text that it encodes in a second.
# Needs Debian's package `sentencepiece`.
set -eu
model=$1
text=$2
bytes=$(wc -c <"$text")
begun=$(date +%s%N)
spm_encode --model="$model" --output_format=id --input="$text" >/dev/null
ended=$(date +%s%N)
awk -v bytes="$bytes" -v nanoseconds="$((ended - begun))" \
  'BEGIN { printf "spm_encode: %.2f MB/s\n", bytes / 1e6 / (nanoseconds / 1e9) }'
