#!/usr/bin/env python3
"""What the encoder is compared with: SentencePiece itself on one thread, on the text that `transformer-bench prepare`
encoded, line by line as its program spm_encode does. Prints one JSON object.

usage: spm_encode.py RESULTS.jsonl"""
import json
import os
import sys
import time

import sentencepiece

done = [json.loads(line) for line in open(sys.argv[1])]
text, tokenizer = next((r["text"], r["tokenizer"]) for r in reversed(done) if r.get("benchmark") == "prepare")
model = sentencepiece.SentencePieceProcessor(model_file=tokenizer)
begin = time.perf_counter()
with open(text, encoding="utf-8") as lines:
    for line in lines:
        model.encode(line)
seconds = time.perf_counter() - begin
print(json.dumps({"peer": "sentencepiece " + sentencepiece.__version__, "benchmark": "prepare",
                  "megabytes_per_second": os.path.getsize(text) / 1e6 / seconds}))
