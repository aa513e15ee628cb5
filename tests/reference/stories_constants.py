"""Prints the hundred tokens that a model of llama2.c writes greedily, computed in fp64 with numpy.

Run: python tests/reference/stories_constants.py stories260K.bin
"""

import struct
import sys

import numpy as np

TOKENS = 100

content = open(sys.argv[1], "rb").read()
width, hidden, layers, heads, kv_heads, vocabulary, _ = struct.unpack("7i", content[:28])
numbers = np.frombuffer(content[28:], dtype="<f4").astype(np.float64)
size, shared = width // heads, heads // kv_heads


def take(*shape):
    global numbers
    count = int(np.prod(shape))
    taken, numbers = numbers[:count].reshape(shape), numbers[count:]
    return taken


embedding = take(vocabulary, width)
attention_norm = take(layers, width)
query, key = take(layers, width, width), take(layers, kv_heads * size, width)
value, output = take(layers, kv_heads * size, width), take(layers, width, width)
feed_forward_norm = take(layers, width)
gate, outer, inner = take(layers, hidden, width), take(layers, width, hidden), take(layers, hidden, width)
last_norm = take(width)


def norm(x, weight):
    return x / np.sqrt((x * x).mean() + 1e-5) * weight


def rotated(x, position):
    pairs = x.reshape(-1, size // 2, 2)
    angles = position * 10000.0 ** (-np.arange(0, size, 2) / size)
    first = pairs[..., 0] * np.cos(angles) - pairs[..., 1] * np.sin(angles)
    second = pairs[..., 0] * np.sin(angles) + pairs[..., 1] * np.cos(angles)
    return np.stack([first, second], -1).reshape(-1, size)


keys, values = [[] for _ in range(layers)], [[] for _ in range(layers)]
token, written = 1, []
for position in range(TOKENS):
    x = embedding[token].copy()
    for i in range(layers):
        y = norm(x, attention_norm[i])
        keys[i].append(rotated(key[i] @ y, position))
        values[i].append((value[i] @ y).reshape(kv_heads, size))
        attended = []
        for head, asked in enumerate(rotated(query[i] @ y, position)):
            scores = np.array([k[head // shared] @ asked for k in keys[i]]) / np.sqrt(size)
            weights = np.exp(scores - scores.max())
            attended.append(sum(w * v[head // shared] for w, v in zip(weights / weights.sum(), values[i])))
        x = x + output[i] @ np.concatenate(attended)
        y = norm(x, feed_forward_norm[i])
        opened = gate[i] @ y
        x = x + outer[i] @ (opened / (1 + np.exp(-opened)) * (inner[i] @ y))
    token = int((embedding @ norm(x, last_norm)).argmax())
    written.append(token)
print(written)
