#!/usr/bin/env python3
"""The training updates of a language model in plain PyTorch: GPT-2's layers, hand-written on nn.Linear, nn.LayerNorm and
F.scaled_dot_product_attention, torch.optim.AdamW (fused), blocks of a prepared data set.

usage: pytorch_language.py PREPARED [--layers 4 --width 128 --heads 4 --inner 512 --block 64 --rows 12 --dropout 0]
       [--precision fp32|bf16] [--seconds 30] [--threads 2]
Blocks are in memory before the clock starts. bf16 is autocast's. Prints one JSON object with the median of tokens a
second over windows of ten updates."""
import argparse
import json
import struct
import time

import numpy
import torch
import torch.nn.functional as F
from torch import nn

END = 3

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("prepared")
for name, usual in ("layers", 4), ("width", 128), ("heads", 4), ("inner", 512), ("block", 64), ("rows", 12), ("threads", 2):
    parser.add_argument("--" + name, type=int, default=usual)
parser.add_argument("--dropout", type=float, default=0.0)
parser.add_argument("--precision", default="fp32", choices=["fp32", "bf16"])
parser.add_argument("--seconds", type=float, default=30)
a = parser.parse_args()


def read_stream(path):
    """The documents of a data set of one text (transformer/data/dataset.h), an end behind each, and the vocabulary."""
    data = open(path, "rb").read()
    documents, _, tokens, _, vocabulary = struct.unpack_from("<5q", data, 16)
    offsets = numpy.frombuffer(data, "<i8", documents + 1, 64)
    ids = numpy.frombuffer(data, "<i4", tokens, 64 + 8 * (documents + 1))
    return numpy.insert(ids, offsets[1:], END).astype("int64"), vocabulary


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.first_norm, self.second_norm = nn.LayerNorm(a.width), nn.LayerNorm(a.width)
        self.projections, self.output = nn.Linear(a.width, 3 * a.width, bias=False), nn.Linear(a.width, a.width, bias=False)
        self.inner, self.outer = nn.Linear(a.width, a.inner), nn.Linear(a.inner, a.width)

    def attention(self, x):
        rows, length, _ = x.shape
        query, key, value = self.projections(x).view(rows, length, 3, a.heads, -1).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.output(y.transpose(1, 2).reshape(x.shape))

    def forward(self, x):
        x = x + F.dropout(self.attention(self.first_norm(x)), a.dropout, self.training)
        return x + F.dropout(self.outer(F.gelu(self.inner(self.second_norm(x)))), a.dropout, self.training)


class LanguageModel(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.embedding, self.positions = nn.Embedding(vocabulary, a.width), nn.Embedding(a.block, a.width)
        nn.init.normal_(self.embedding.weight, std=a.width**-0.5)
        self.layers, self.norm = nn.ModuleList(Layer() for _ in range(a.layers)), nn.LayerNorm(a.width)

    def forward(self, ids):
        x = F.dropout(self.embedding(ids) + self.positions.weight[: ids.size(1)], a.dropout, self.training)
        for layer in self.layers:
            x = layer(x)
        return F.linear(self.norm(x), self.embedding.weight)


torch.set_num_threads(a.threads)
torch.manual_seed(1)
stream, vocabulary = read_stream(a.prepared + "/train.bin")
stream = torch.from_numpy(stream)
model = LanguageModel(vocabulary).train()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.99), eps=1e-8, weight_decay=0.1, fused=True)
begins = torch.randint(len(stream) - a.block - 1, (64, a.rows))
blocks = [torch.stack([stream[b : b + a.block + 1] for b in rows]) for rows in begins.tolist()]


def step(number):
    block = blocks[number % len(blocks)]
    with torch.autocast("cpu", torch.bfloat16, enabled=a.precision == "bf16"):
        logits = model(block[:, :-1])
    loss = F.cross_entropy(logits.float().view(-1, vocabulary), block[:, 1:].reshape(-1))
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.item()


for i in range(20):
    step(i)
windows, begin, i = [], time.perf_counter(), 0
while time.perf_counter() - begin < a.seconds or not windows:
    start = time.perf_counter()
    for _ in range(10):
        step(i)
        i += 1
    windows.append(10 * a.rows * a.block / (time.perf_counter() - start))
windows.sort()
print(json.dumps({"peer": "pytorch " + torch.__version__, "precision": a.precision, "vocabulary": vocabulary,
                  "tokens_per_second": windows[len(windows) // 2]}))
