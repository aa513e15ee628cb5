#!/usr/bin/env bash
# tests/peers/ratios.py says the share of the peak first, and compares what was computed in the same precision.
source "$(dirname "$0")/common.sh"

cat >results.jsonl <<'JSON'
{"benchmark": "train", "shape": "small", "precision": "fp32", "batches_an_update": 1, "tokens_per_second": 3000, "share_of_gemm_peak": 0.81, "peak_memory_bytes": 1048576}
{"benchmark": "train", "shape": "small", "precision": "bf16", "batches_an_update": 1, "tokens_per_second": 4000, "share_of_gemm_peak": 0.67, "peak_memory_bytes": 1048576}
{"benchmark": "train", "shape": "base", "precision": "bf16", "batches_an_update": 1, "tokens_per_second": 500, "share_of_gemm_peak": 0.76, "peak_memory_bytes": 1048576}
{"benchmark": "decode", "precision": "int8", "batch_tokens": 4096, "sentences_per_second": 900}
{"peer": "pytorch 2.11", "benchmark": "train", "shape": "small", "precision": "fp32", "chunk": 0, "tokens_per_second": 1500, "peak_memory_bytes": 2097152}
{"peer": "pytorch 2.11", "benchmark": "train", "shape": "small", "precision": "fp32", "chunk": 512, "tokens_per_second": 2000, "peak_memory_bytes": 4194304}
{"peer": "pytorch 2.11", "benchmark": "train", "shape": "small", "precision": "bf16", "chunk": 0, "tokens_per_second": 1000, "peak_memory_bytes": 2097152}
{"peer": "pytorch 2.11", "benchmark": "train", "shape": "base", "precision": "fp32", "chunk": 0, "tokens_per_second": 100, "peak_memory_bytes": 2097152}
{"version": "4.8", "type": "float32", "batch": 64, "sentences_per_second": 800}
{"version": "4.8", "type": "int8_float32", "batch": 64, "sentences_per_second": 300}
JSON
python3 "$source_dir/tests/peers/ratios.py" results.jsonl >table
holds() { says "$1" <table || fail "$1 is missing: $(cat table)"; }
[ "$(head -n 1 table)" = "| share of the GEMM peak | |" ] || fail "the share of the peak is not first"
holds '^| train small bf16 | 67 % |$'
# The fastest of several peers of one precision counts; peers of another precision never do.
holds '^| train small fp32, target tokens/s ÷ plain PyTorch fp32, loss in chunks | 3000 | 2000 | 1.50 |$'
holds '^| its peak memory, MiB | 1 | 4 | 0.25 |$'
holds '^| train small bf16, target tokens/s ÷ plain PyTorch bf16 | 4000 | 1000 | 4.00 |$'
says 'train base bf16, target' <table && fail "bf16 stands beside fp32"
holds '^| decode int8, in batches, sentences/s ÷ CTranslate2 4.8 | 900 | 300 | 3.00 |$'
finish
