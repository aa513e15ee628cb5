"""Prints tests/nn/constants_attention.h: attention and gated layers that are not the paper's, written down from their papers.

Run: python tests/reference/attention_constants.py > tests/nn/constants_attention.h && clang-format -i tests/nn/constants_attention.h
"""

import math

import torch

import pattern as p

D, FF, HEADS, K, V, B, T, S = 8, 12, 2, 4, 3, 2, 4, 5
FARTHEST, WINDOW = 2, 1


class Weights(dict):
    """Made when they are first asked for; by our names."""

    def get(self, name, *shape):
        if name not in self:
            self[name] = p.weight(shape, name).requires_grad_()
        return self[name]

    def project(self, name, x, size):
        return x @ self.get(name + ".weight", size, x.shape[-1]).T + self.get(name + ".bias", size)


def rms(x, weight):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-5) * weight


def turned(vector, position):
    """Each pair of neighbours by its own angle."""
    result = []
    for i in range(0, len(vector), 2):
        angle = position * 10000 ** (-i / len(vector))
        a, b = vector[i], vector[i + 1]
        result += [a * math.cos(angle) - b * math.sin(angle), a * math.sin(angle) + b * math.cos(angle)]
    return torch.stack(result)


def attention(kind, name, memory_length):
    """One head, one query and one key after the other. memory_length: None where x attends to itself."""
    weights = Weights()
    x = p.pattern((B, T, D), "x").requires_grad_()
    memory = x if memory_length is None else p.pattern((B, memory_length, D), "memory").requires_grad_()
    kv_heads = 1 if kind == "grouped" else HEADS
    query = weights.project("query", x, HEADS * K)
    key, value = weights.project("key", memory, kv_heads * K), weights.project("value", memory, kv_heads * V)
    sentences = []
    for b in range(B):
        rows = []
        for t in range(T):
            heads = []
            for h in range(HEADS):
                g = h // (HEADS // kv_heads)
                q = query[b, t, h * K:(h + 1) * K]
                if kind == "qk_norm":
                    q = rms(q, weights.get("norm_of_queries.weight", K))
                if kind == "rotary":
                    q = turned(q, t)
                scores, values = [], []
                for s in range(memory.shape[1]):
                    if b == 1 and s == memory.shape[1] - 1 or kind == "window" and abs(s - t) > WINDOW:
                        continue
                    k, v = key[b, s, g * K:(g + 1) * K], value[b, s, g * V:(g + 1) * V]
                    if kind == "qk_norm":
                        k = rms(k, weights.get("norm_of_keys.weight", K))
                    if kind == "rotary":
                        k = turned(k, s)
                    if kind == "relative":
                        distance = min(max(s - t, -FARTHEST), FARTHEST) + FARTHEST
                        k = k + weights.get("distance_keys", 2 * FARTHEST + 1, K)[distance]
                        v = v + weights.get("distance_values", 2 * FARTHEST + 1, V)[distance]
                    if kind == "additive":
                        score = weights.get("score_weight", HEADS, K)[h] @ torch.tanh(q + k)
                    else:
                        score = q @ k / math.sqrt(K)
                    if kind == "alibi":
                        score = score - 2 ** (-8 * (h + 1) / HEADS) * abs(s - t)
                    scores.append(score)
                    values.append(v)
                shares = torch.stack(scores).softmax(0)
                heads.append(sum(share * v for share, v in zip(shares, values)))
            rows.append(torch.cat(heads))
        sentences.append(torch.stack(rows))
    output = weights.project("output", torch.stack(sentences), D)
    finish(name, output, [x] if memory is x else [x, memory], weights)


def gated(name, gate):
    weights, x = Weights(), p.pattern((B, T, D), "x").requires_grad_()
    inner = weights.project("inner", x, FF) * gate(weights.project("gate", x, FF))
    finish(name, weights.project("outer", inner, D), [x], weights)


def finish(name, output, inputs, weights):
    (output * p.pattern(tuple(output.shape), "loss")).sum().backward()
    p.print_reference(name, output, [x.grad for x in inputs], {key: (w, slice(None)) for key, w in weights.items()})


p.print_header("attention_constants.py",
               "Other attention and gated layers: d_model 8, d_ff 12, 2 heads of d_k 4 and d_v 3, double precision.")
for kind in "rotary", "alibi", "relative", "window":
    attention(kind, kind + "_self_attention", None)
for kind in "additive", "grouped", "qk_norm":
    attention(kind, kind + "_attention", S)
gated("glu_feed_forward", lambda x: 1 / (1 + torch.exp(-x)))
gated("swiglu_feed_forward", lambda x: x / (1 + torch.exp(-x)))
p.print_footer()
