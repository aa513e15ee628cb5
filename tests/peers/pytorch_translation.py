#!/usr/bin/env python3
"""A translation model trained in plain PyTorch, to be scored by the same decoder as ours: its weights have our names, and
take the place of those in a checkpoint of the same configuration.

usage: pytorch_translation.py PREPARED OUTPUT.safetensors --updates N [--rate 0.0025] [--warmup 500] [--dropout 0.1]
                              [--tokens 4096] [--threads N] [--seconds S]
The model is three layers, 256 wide, with rotary positions, norms before the sublayers and gated feed-forward layers
(SwiGLU); positions are turned and scores computed by F.scaled_dot_product_attention, on padded batches of sentences of
similar length, in bf16 by autocast or in fp32. The rate rises for `warmup` updates and falls linearly to zero. --seconds: stop after
so many, to measure speed; nothing is written then."""
import argparse
import math
import random
import time

import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torch import nn

from pytorch_train import BEGIN, END, PAD, ChunkedLoss, pad, read_dataset

LAYERS, WIDTH, HEADS, INNER, POSITIONS = 3, 256, 4, 704, 1024


def turned(x, turn):
    """Rotary positions: x: (B, H, T, K), turn: (2, T, K / 2), cosine and sine."""
    even, odd, (cosine, sine) = x[..., ::2], x[..., 1::2], turn[:, : x.size(2)].to(x.dtype)
    return torch.stack([even * cosine - odd * sine, even * sine + odd * cosine], -1).flatten(-2)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        for name in ("query", "key", "value", "output"):
            setattr(self, name, nn.Linear(WIDTH, WIDTH, bias=False))

    def forward(self, x, memory, turn=None, **kind):
        heads = lambda y: y.unflatten(-1, (HEADS, -1)).transpose(1, 2)
        query, key, value = heads(self.query(x)), heads(self.key(memory)), heads(self.value(memory))
        if turn is not None:
            query, key = turned(query, turn), turned(key, turn)
        return self.output(F.scaled_dot_product_attention(query, key, value, **kind).transpose(1, 2).flatten(2))


class FeedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.gate, self.outer = nn.Linear(WIDTH, INNER), nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)

    def forward(self, x):
        return self.outer(F.silu(self.gate(x)) * self.inner(x))


class Residual(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.norm, self.dropout = nn.LayerNorm(WIDTH), dropout

    def forward(self, x, sublayer):
        return x + F.dropout(sublayer(self.norm(x)), self.dropout, self.training)


class Layer(nn.Module):
    def __init__(self, dropout, decoder):
        super().__init__()
        self.self_attention, self.self_attention_residual = Attention(), Residual(dropout)
        if decoder:
            self.source_attention, self.source_attention_residual = Attention(), Residual(dropout)
        self.feed_forward, self.feed_forward_residual = FeedForward(), Residual(dropout)

    def forward(self, x, turn, mask, memory=None):
        own = {"attn_mask": mask} if memory is None else {"is_causal": True}
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, turn, **own))
        if memory is not None:
            x = self.source_attention_residual(x, lambda y: self.source_attention(y, memory, attn_mask=mask))
        return self.feed_forward_residual(x, self.feed_forward)


class Stack(nn.Module):
    def __init__(self, dropout, decoder):
        super().__init__()
        self.layers, self.norm = nn.ModuleList(Layer(dropout, decoder) for _ in range(LAYERS)), nn.LayerNorm(WIDTH)

    def forward(self, x, *rest):
        for layer in self.layers:
            x = layer(x, *rest)
        return self.norm(x)


class Translator(nn.Module):
    def __init__(self, vocabulary, dropout, stream):
        super().__init__()
        self.embedding, self.dropout, self.stream = nn.Embedding(vocabulary, WIDTH), dropout, stream
        self.encoder, self.decoder = Stack(dropout, False), Stack(dropout, True)
        for weight in self.parameters():
            if weight.dim() == 2:
                nn.init.xavier_uniform_(weight)
        nn.init.normal_(self.embedding.weight, std=WIDTH**-0.5)
        size = WIDTH // HEADS
        angles = torch.arange(POSITIONS)[:, None] * 1e4 ** (-torch.arange(0, size, 2) / size)
        self.register_buffer("turn", torch.stack([angles.cos(), angles.sin()]), persistent=False)

    def embed(self, ids):
        x = (self.embedding(ids) * WIDTH**0.5).to(self.stream)
        return F.dropout(x, self.dropout, self.training)

    def forward(self, source, target):
        mask = (source != PAD)[:, None, None, :]
        return self.decoder(self.embed(target), self.turn, mask, self.encoder(self.embed(source), self.turn, mask))


def batches(lengths, tokens, seed):
    """Sentence numbers of an epoch's batches, of similar length, in random order; at most `tokens` of either side."""
    draw = random.Random(seed)
    order = sorted(range(len(lengths)), key=lambda i: (max(lengths[i]), draw.random()))
    found, batch, used = [], [], [0, 0]
    for i in order:
        after = [n + length for n, length in zip(used, lengths[i])]
        if batch and max(after) > tokens:
            found.append(batch)
            batch, after = [], list(lengths[i])
        batch.append(i)
        used = after
    found.append(batch)
    draw.shuffle(found)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prepared")
    parser.add_argument("output")
    parser.add_argument("--updates", type=int, required=True)
    parser.add_argument("--rate", type=float, default=0.0025)
    parser.add_argument("--warmup", type=int, default=500)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--tokens", type=int, default=4096)
    parser.add_argument("--precision", default="bf16", choices=["fp32", "bf16"])
    parser.add_argument("--chunk", type=int, default=512)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--seed", type=int, default=1)
    a = parser.parse_args()
    if a.threads:
        torch.set_num_threads(a.threads)
    torch.manual_seed(a.seed)
    bf16 = a.precision == "bf16"
    source, target, pairs, vocabulary = read_dataset(a.prepared + "/train.bin")
    lengths = [(len(source(i)) + 1, len(target(i)) + 1) for i in range(pairs)]
    model = Translator(vocabulary, a.dropout, torch.bfloat16 if bf16 else torch.float32).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=1.0, betas=(0.9, 0.98), eps=1e-9, fused=True)

    begin, seen, update, epoch = time.perf_counter(), 0, 0, 0
    while update < a.updates:
        for batch in batches(lengths, a.tokens, a.seed * 1000 + epoch):
            ids = pad([source(i) + [END] for i in batch])
            given = pad([[BEGIN] + target(i) for i in batch])
            wanted = pad([target(i) + [END] for i in batch]).view(-1)
            real = wanted != PAD
            with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
                states = model(ids, given).view(-1, WIDTH)
                loss = ChunkedLoss.apply(states[real], model.embedding.weight, wanted[real], 0.1, a.chunk)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            rate = min((update + 1) / a.warmup, (a.updates - update) / (a.updates - a.warmup))
            optimizer.param_groups[0]["lr"] = a.rate * rate
            optimizer.step()
            update, seen = update + 1, seen + int(real.sum())
            seconds = time.perf_counter() - begin
            if update % 50 == 0:
                print(f"update {update}, epoch {epoch}, loss {loss.item():.4f}, {seen / seconds:.0f} target tokens/s", flush=True)
            if update == a.updates or seconds > a.seconds:
                break
        if time.perf_counter() - begin > a.seconds:
            return
        epoch += 1
    save_file({name: weight.contiguous() for name, weight in model.state_dict().items()}, a.output)


main()
