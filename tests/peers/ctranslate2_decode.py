#!/usr/bin/env python3
"""How fast CTranslate2 translates: a JSON object a line for each setting, medians of some runs.

usage: ctranslate2_decode.py CT2_MODEL TOKENIZER TEXT [--types float32,int8] [--settings 1:1:2,64:1:2,64:2:1]
                             [--reps 3] [--beam 4] [--force N] [--output FILE] [--device cpu|cuda]

A setting is BATCH:INTER:INTRA, sentences a batch, workers, threads of each. Batches of one are calls of one sentence
each, the next when the last is done, unless there are several workers. --force: all outputs have N tokens. --output:
the last setting's translations. Without length penalty (alpha 0). Only translation is timed, not the tokenizer.
"""
import argparse
import json
import resource
import statistics
import time

import ctranslate2
import sentencepiece

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("model")
parser.add_argument("tokenizer")
parser.add_argument("text")
parser.add_argument("--types", default="float32,int8")
parser.add_argument("--settings", default="1:1:1,1:1:2,64:1:2,64:2:1")
parser.add_argument("--reps", type=int, default=3)
parser.add_argument("--beam", type=int, default=4)
parser.add_argument("--force", type=int, default=0)
parser.add_argument("--lines", type=int, default=0)
parser.add_argument("--output")
parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
a = parser.parse_args()

tokenizer = sentencepiece.SentencePieceProcessor(model_file=a.tokenizer)
with open(a.text, encoding="utf-8") as file:
    lines = [line.rstrip("\n") for line in file]
sources = [tokenizer.encode(line, out_type=str) for line in lines[:a.lines or None]]
options = dict(beam_size=a.beam, length_penalty=0, max_decoding_length=100)
if a.force:
    options.update(min_decoding_length=a.force, max_decoding_length=a.force)

for compute_type in a.types.split(","):
    for setting in a.settings.split(","):
        batch, inter, intra = map(int, setting.split(":"))
        translator = ctranslate2.Translator(a.model, device=a.device, compute_type=compute_type, inter_threads=inter,
                                            intra_threads=intra)

        def translate(texts):
            if batch == 1 and inter == 1:
                return [translator.translate_batch([text], **options)[0] for text in texts]
            return translator.translate_batch(texts, max_batch_size=batch, **options)

        translate(sources[:64])
        seconds = []
        for _ in range(a.reps):
            start = time.perf_counter()
            results = translate(sources)
            seconds.append(time.perf_counter() - start)
        outputs = [result.hypotheses[0] for result in results]
        median = statistics.median(seconds)
        tokens = sum(len(output) + 1 for output in outputs)
        print(json.dumps({
            "version": ctranslate2.__version__, "device": a.device, "type": translator.compute_type, "batch": batch, "workers": inter,
            "threads": intra, "sentences_per_second": round(len(sources) / median, 3),
            "tokens_per_second": round(tokens / median), "tokens": tokens,
            "seconds": [round(s, 3) for s in sorted(seconds)],
            "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}), flush=True)
if a.output:
    with open(a.output, "w", encoding="utf-8") as file:
        file.writelines(tokenizer.decode(output) + "\n" for output in outputs)
