#!/usr/bin/env python3
"""The same training updates in plain PyTorch: hand-written modules on F.scaled_dot_product_attention and nn.Linear,
torch.optim.Adam (fused), the sentences of each update as `transformer-bench train --write-batches` wrote them.

usage: pytorch_train.py PREPARED BATCHES [--shape small] [--precision fp32|tf32|bf16|fp16] [--chunk ROWS]
       [--seconds 30] [--device cpu|cuda] [--compile]
PREPARED is the folder that transformer-prepare made. bf16 and fp16 keep weights and Adam in fp32 and let autocast
choose the types of operations, with the residual stream in the half type; fp16 scales the loss. --chunk computes the
loss for so many positions at a time. --compile lets torch.compile fuse the model. The batches lie on the device before
the clock starts. Prints one JSON object."""
import argparse
import json
import math
import resource
import struct
import time

import numpy
import torch
import torch.nn.functional as F
from torch import nn

SHAPES = {"small": (3, 256, 4, 1024), "base": (6, 512, 8, 2048), "big": (6, 1024, 16, 4096)}
PAD, BEGIN, END = 1, 2, 3


def read_dataset(path):
    """Source and target ids by number, how many pairs, and the vocabulary's size, of a data set file
    (transformer/data/dataset.h)."""
    data = open(path, "rb").read()
    pairs, source_tokens, target_tokens, _, vocabulary = struct.unpack_from("<5q", data, 16)
    place = 64

    def take(count, kind, size):
        nonlocal place
        values = numpy.frombuffer(data, kind, count, place)
        place += size
        return values

    source_offsets = take(pairs + 1, "<i8", 8 * (pairs + 1))
    target_offsets = take(pairs + 1, "<i8", 8 * (pairs + 1))
    source = take(source_tokens, "<i4", 4 * (source_tokens + source_tokens % 2))
    target = take(target_tokens, "<i4", 4 * (target_tokens + target_tokens % 2))
    cut = lambda ids, offsets: lambda i: ids[offsets[i] : offsets[i + 1]].tolist()
    return cut(source, source_offsets), cut(target, target_offsets), pairs, vocabulary


def pad(rows):
    width = max(map(len, rows))
    return torch.tensor([row + [PAD] * (width - len(row)) for row in rows])


class Attention(nn.Module):
    def __init__(self, width, heads, self_attention):
        super().__init__()
        self.heads, self.self_attention = heads, self_attention
        if self_attention:
            self.projections = nn.Linear(width, 3 * width, bias=False)
        else:
            self.query = nn.Linear(width, width, bias=False)
            self.key_value = nn.Linear(width, 2 * width, bias=False)
        self.output = nn.Linear(width, width, bias=False)

    def forward(self, x, memory=None, mask=None, causal=False):
        batch, _, width = x.shape

        def split(y, parts):
            return y.view(batch, -1, parts, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)

        if self.self_attention:
            query, key, value = split(self.projections(x), 3)
        else:
            (query,), (key, value) = split(self.query(x), 1), split(self.key_value(memory), 2)
        y = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, is_causal=causal)
        return self.output(y.transpose(1, 2).reshape(x.shape))


class Layer(nn.Module):
    def __init__(self, width, heads, inner, decoder, dropout):
        super().__init__()
        self.attention = Attention(width, heads, True)
        self.source_attention = Attention(width, heads, False) if decoder else None
        self.inner, self.outer = nn.Linear(width, inner), nn.Linear(inner, width)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3 if decoder else 2))
        self.dropout = dropout

    def residual(self, norm, x, y):
        return norm(x + F.dropout(y, self.dropout, self.training))

    def forward(self, x, mask, memory=None):
        if self.source_attention is None:
            x = self.residual(self.norms[0], x, self.attention(x, mask=mask))
        else:
            x = self.residual(self.norms[0], x, self.attention(x, causal=True))
            x = self.residual(self.norms[2], x, self.source_attention(x, memory, mask))
        return self.residual(self.norms[1], x, self.outer(F.relu(self.inner(x))))


class Transformer(nn.Module):
    def __init__(self, shape, vocabulary, dropout, stream):
        super().__init__()
        layers, width, heads, inner = SHAPES[shape]
        self.width, self.dropout, self.stream = width, dropout, stream
        self.embedding = nn.Embedding(vocabulary, width)
        nn.init.normal_(self.embedding.weight, std=width**-0.5)
        position, pair = torch.arange(1024)[:, None].float(), torch.arange(0, width, 2).float()
        angles = position * torch.exp(-pair * math.log(1e4) / width)
        self.register_buffer("positions", torch.stack([angles.sin(), angles.cos()], -1).flatten(1))
        make = lambda decoder: nn.ModuleList(Layer(width, heads, inner, decoder, dropout) for _ in range(layers))
        self.encoder, self.decoder = make(False), make(True)

    def embed(self, ids):
        x = self.embedding(ids) * self.width**0.5 + self.positions[: ids.size(1)]
        return F.dropout(x.to(self.stream), self.dropout, self.training)

    def forward(self, source, target):
        mask = (source != PAD)[:, None, None, :]
        memory = self.embed(source)
        for layer in self.encoder:
            memory = layer(memory, mask)
        y = self.embed(target)
        for layer in self.decoder:
            y = layer(y, mask, memory)
        return y


class ChunkedLoss(torch.autograd.Function):
    """Output projection and label-smoothed loss of some rows at a time; no logits are kept."""

    @staticmethod
    def forward(ctx, x, weight, labels, epsilon, chunk):
        device = x.device.type
        kind = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else torch.float32
        with torch.autocast(device, enabled=False):
            x, w, loss = x.to(kind), weight.to(kind), 0.0
            dx, dw, share = torch.empty_like(x), torch.zeros_like(weight), 1.0 / labels.numel()
            for begin in range(0, x.size(0), chunk):
                rows, label = slice(begin, begin + chunk), labels[begin : begin + chunk, None]
                g = F.linear(x[rows], w).float()
                normalizer = g.logsumexp(1)
                chosen, mean = g.gather(1, label)[:, 0], g.mean(1)
                loss += float((normalizer - (1 - epsilon) * chosen - epsilon * mean).sum())
                g.sub_(normalizer[:, None]).exp_().sub_(epsilon / g.size(1))
                g.scatter_add_(1, label, torch.full_like(label, -(1 - epsilon), dtype=torch.float32)).mul_(share)
                g = g.to(kind)
                dx[rows] = g @ w
                dw += g.t() @ x[rows]
        ctx.save_for_backward(dx, dw)
        return torch.tensor(loss * share)

    @staticmethod
    def backward(ctx, gradient):
        dx, dw = ctx.saved_tensors
        return dx * gradient, dw * gradient, None, None, None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prepared")
    parser.add_argument("batches")
    parser.add_argument("--shape", default="small", choices=SHAPES)
    parser.add_argument("--precision", default="fp32", choices=["fp32", "tf32", "bf16", "fp16"])
    parser.add_argument("--chunk", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--warmup", type=int, default=8)
    parser.add_argument("--updates", type=int, default=40, help="how many different ones, which recur")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--compile", action="store_true")
    a = parser.parse_args()
    if a.threads:
        torch.set_num_threads(a.threads)
    torch.manual_seed(1)
    source, target, _, vocabulary = read_dataset(a.prepared + "/train.bin")
    updates = [[int(i) for i in line.split()] for line in open(a.batches)][:a.updates]
    half = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(a.precision)
    torch.backends.cuda.matmul.allow_tf32 = a.precision == "tf32"
    dropout = 0.3 if a.shape == "big" else 0.1
    model = Transformer(a.shape, vocabulary, dropout, half or torch.float32).train()
    model.to(a.device)
    run = torch.compile(model, dynamic=True) if a.compile else model
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9, fused=True)
    scaler = torch.amp.GradScaler(a.device, enabled=a.precision == "fp16")

    def batch_of(indices):
        ids = pad([source(i) + [END] for i in indices])
        given = pad([[BEGIN] + target(i) for i in indices])
        wanted = pad([target(i) + [END] for i in indices]).view(-1)
        return (ids.to(a.device), given.to(a.device), wanted.to(a.device)), int((wanted != PAD).sum())

    batches = [batch_of(update) for update in updates]

    def step(number):
        (ids, given, wanted), tokens = batches[number % len(batches)]
        with torch.autocast(a.device, half, enabled=half is not None):
            states = run(ids, given).view(-1, model.width)
            if a.chunk:
                real = wanted != PAD
                loss = ChunkedLoss.apply(states[real], model.embedding.weight, wanted[real], 0.1, a.chunk)
            else:
                logits = F.linear(states, model.embedding.weight)
        if not a.chunk:
            loss = F.cross_entropy(logits.float(), wanted, ignore_index=PAD, label_smoothing=0.1)
        optimizer.zero_grad(set_to_none=True)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        loss.item()
        return tokens

    for i in range(a.warmup):
        step(i)
    windows, begin, i = [], time.perf_counter(), a.warmup
    while time.perf_counter() - begin < a.seconds or not windows:
        start, tokens = time.perf_counter(), 0
        for _ in range(2):
            tokens += step(i)
            i += 1
        windows.append(tokens / (time.perf_counter() - start))
    windows.sort()
    print(json.dumps({
        "peer": "pytorch " + torch.__version__, "benchmark": "train", "shape": a.shape, "precision": a.precision,
        "chunk": a.chunk, "compile": a.compile, "device": a.device, "tokens_per_second": windows[len(windows) // 2],
        "tokens_per_second_p10": windows[len(windows) // 10],
        "tokens_per_second_p90": windows[int(len(windows) * 0.9)],
        "peak_memory_bytes": torch.cuda.max_memory_allocated() if a.device == "cuda"
        else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }))


if __name__ == "__main__":
    main()
