#!/usr/bin/env python3
"""How fast another program continues texts on a CPU: a JSON object a line for each precision and number of texts.

usage: generate_peer.py ctranslate2|transformers|llama.cpp MODEL [--precisions float32,int8] [--texts 1,32]
                        [--prompt 16] [--tokens 128] [--threads 2] [--repetitions 3]

MODEL: an exported folder, or a GGUF file. Each token is the most probable one, and no text ends. The time of the
first token, which is the prompt's, is taken off. The fastest repetition counts.
"""
import argparse
import json
import time

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("program", choices=["ctranslate2", "transformers", "llama.cpp"])
parser.add_argument("model")
parser.add_argument("--precisions", default="float32")
parser.add_argument("--texts", default="1,32")
parser.add_argument("--prompt", type=int, default=16)
parser.add_argument("--tokens", type=int, default=128)
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--repetitions", type=int, default=3)
a = parser.parse_args()


def ids(text):
    """A prompt of its own for each text."""
    return [4 + (17 * text + 31 * i) % 500 for i in range(a.prompt)]


def ctranslate2(precision):
    import ctranslate2
    generator = ctranslate2.Generator(a.model, compute_type=precision, inter_threads=1, intra_threads=a.threads)
    pieces = json.load(open(a.model + "/vocabulary.json", encoding="utf-8"))

    def generate(texts, tokens):
        prompts = [[pieces[i] for i in ids(text)] for text in range(texts)]
        found = generator.generate_batch(prompts, min_length=tokens, max_length=tokens, sampling_topk=1,
                                         include_prompt_in_result=False, max_batch_size=texts)
        assert all(len(result.sequences_ids[0]) == tokens for result in found)
    return "CTranslate2 " + ctranslate2.__version__, generate


def transformers(precision):
    import torch
    import transformers
    torch.set_num_threads(a.threads)
    model = transformers.AutoModelForCausalLM.from_pretrained(a.model, dtype=getattr(torch, precision)).eval()

    def generate(texts, tokens):
        prompts = torch.tensor([ids(text) for text in range(texts)])
        found = model.generate(prompts, attention_mask=torch.ones_like(prompts), min_new_tokens=tokens,
                               max_new_tokens=tokens, do_sample=False, pad_token_id=1)
        assert found.shape[1] == a.prompt + tokens
    return "transformers " + transformers.__version__, generate


def llama(precision):
    import llama_cpp
    import numpy
    model = llama_cpp.Llama(a.model, n_ctx=a.prompt + a.tokens + 8, n_threads=a.threads, n_threads_batch=a.threads,
                            verbose=False)

    def generate(texts, tokens):
        for text in range(texts):
            model.reset()
            model.eval(ids(text))
            for i in range(tokens - 1):
                logits = numpy.ctypeslib.as_array(llama_cpp.llama_get_logits(model.ctx), shape=(model.n_vocab(),))
                model.eval([int(logits.argmax())])
    return "llama.cpp by llama-cpp-python " + llama_cpp.__version__, generate


def seconds(generate, texts, tokens):
    best = float("inf")
    for _ in range(a.repetitions):
        start = time.perf_counter()
        generate(texts, tokens)
        best = min(best, time.perf_counter() - start)
    return best


for precision in a.precisions.split(","):
    peer, generate = {"ctranslate2": ctranslate2, "transformers": transformers, "llama.cpp": llama}[a.program](precision)
    for texts in map(int, a.texts.split(",")):
        generate(texts, 4)
        spent = seconds(generate, texts, a.tokens) - seconds(generate, texts, 1)
        print(json.dumps({"benchmark": "generate", "peer": peer, "precision": precision, "threads": a.threads, "texts": texts,
                          "tokens": a.tokens, "tokens_per_second": texts * (a.tokens - 1) / spent}), flush=True)
