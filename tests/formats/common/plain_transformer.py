"""The exported model in plain PyTorch: what docs/guides/exporting.md says, as a program.

    model = PlainTransformer("exported")            # a folder of `transformer-export --format safetensors`
    logits = model.logits(source, target)           # ids: (S), which end in 3; (T), which begin with 2 → (T, V)
"""
import json
import math
import pathlib
from functools import partial

import torch
from safetensors.torch import load_file
from torch.nn.functional import gelu, layer_norm, linear, relu, sigmoid, silu

gelu_tanh = partial(gelu, approximate="tanh")


def sinusoids(layout, length, d_model):
    half = d_model // 2
    denominator = max(half - 1, 1) if layout == "tensor2tensor" else half
    frequencies = torch.exp(torch.arange(half, dtype=torch.double) * (-math.log(10000.0) / denominator))
    angles = torch.arange(length, dtype=torch.double)[:, None] * frequencies
    pair = [angles.sin(), angles.cos()]
    table = torch.stack(pair, -1).flatten(-2) if layout == "interleaved" else torch.cat(pair, -1)
    return table.float()


def rotated(x, base):
    """Rotary positions, x: (H, T, K): neighbours as a complex number, times e^(i · position · frequency)."""
    size = x.shape[-1]
    frequencies = base ** (-torch.arange(0, size, 2, dtype=torch.double) / size)
    angles = torch.arange(x.shape[1], dtype=torch.double)[:, None] * frequencies
    turn = torch.polar(torch.ones_like(angles), angles)
    pairs = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * turn).flatten(-2).float()


def bucket(distance, both_sides):
    """T5's, of a key that stands `distance` behind its query."""
    buckets, far = 16 if both_sides else 32, 128
    first = buckets if both_sides and distance > 0 else 0
    apart = abs(distance) if both_sides else max(-distance, 0)
    exact = buckets // 2
    if apart < exact:
        return first + apart
    return first + min(buckets - 1, exact + int(math.log2(apart / exact) / math.log2(far / exact) * (buckets - exact)))


class PlainTransformer:
    def __init__(self, folder):
        folder = pathlib.Path(folder)
        self.attended = []  # of each attention that was computed: its name and (H, T, S)
        self.weights = load_file(folder / "model.safetensors")
        self.options = json.loads((folder / "config.json").read_text(encoding="utf-8"))["model"]
        self.activation = {"relu": relu, "gelu": gelu, "gelu_tanh": gelu_tanh, "swish": silu}[self.options["activation"]]

    def linear(self, name, x):
        return linear(x, self.weights[name + ".weight"], self.weights.get(name + ".bias"))

    def norm(self, name, x):
        kind, epsilon = self.options["norm_type"], self.options["norm_epsilon"]
        if kind == "none":
            return x
        weight = self.weights[name + ".weight"]
        if kind == "rms":
            return x / (x.square().mean(-1, keepdim=True) + epsilon).sqrt() * weight
        if kind == "batch":
            mean, variance, bias = (self.weights[name + part] for part in (".mean", ".variance", ".bias"))
            return (x - mean) / (variance + epsilon).sqrt() * weight + bias
        if kind == "layer":
            return layer_norm(x, weight.shape, weight, self.weights[name + ".bias"], epsilon)
        raise ValueError(f"norm_type {kind}")

    def embed(self, side, ids):
        name = "embedding" if self.options["tie"] == "all" else side + "_embedding"
        matrix = self.weights[name + ".weight"]
        scale = math.sqrt(matrix.shape[1]) if self.options["scale_embedding"] else 1
        layout = self.options["positions"]
        x = matrix[ids] * scale
        if layout not in ("rotary", "bias", "alibi", "relative", "every_layer", "none"):
            positions = self.weights[side + "_positions.weight"] if layout == "learned" else sinusoids(
                layout, len(ids), matrix.shape[1])
            x = x + positions[:len(ids)]
        return self.norm(side + "_embedding_norm", x) if self.options.get("embedding_norm") else x

    def bias(self, side, length):
        """(H, T, T), which is added to the scores of self-attention."""
        if self.options["positions"] == "alibi":
            places, heads = torch.arange(length), self.options["heads"]
            slopes = 2.0 ** (-8.0 * torch.arange(1, heads + 1, dtype=torch.double) / heads)
            return (-slopes[:, None, None] * (places[:, None] - places).abs()).float()
        weight = self.weights[side + ".positions.weight"]
        rows = [[bucket(s - t, side == "encoder") for s in range(length)] for t in range(length)]
        return weight[torch.tensor(rows)].permute(2, 0, 1)

    def attention(self, name, x, memory, mask):
        options, own = self.options, memory is x
        kv_heads = options["kv_heads"] or options["heads"]
        heads = lambda y, count: y.unflatten(-1, (count, -1)).transpose(0, 1)  # (T, H·K) → (H, T, K)
        query = heads(self.linear(name + ".query", x), options["heads"])
        key, value = (heads(self.linear(name + kind, memory), kv_heads) for kind in (".key", ".value"))
        if options["qk_norm"]:
            norm = lambda y, weight: y / (y.square().mean(-1, keepdim=True) + options["norm_epsilon"]).sqrt() * weight
            query, key = (norm(y, self.weights[f"{name}.norm_of_{kind}.weight"]) for y, kind in ((query, "queries"), (key, "keys")))
        if options["positions"] == "rotary" and own:
            query, key = (rotated(y, options["rotary_base"]) for y in (query, key))
        key, value = (y.repeat_interleave(options["heads"] // kv_heads, 0) for y in (key, value))
        scale = math.sqrt(options["d_k"]) if options["attention_scale"] else 1
        distances = torch.arange(len(memory)) - torch.arange(len(x))[:, None]  # (T, S)
        relative = own and options["positions"] == "relative"
        rows = distances.clamp(-options["relative_distance"], options["relative_distance"]) + options["relative_distance"]
        if options["attention_score"] == "additive":
            hidden = (query[:, :, None] + key[:, None]).tanh()  # (H, T, S, K)
            scores = (hidden * self.weights[name + ".score_weight"][:, None, None]).sum(-1)
        else:
            scores = query @ key.transpose(1, 2) / scale  # (H, T, S)
        if relative:
            vectors = self.weights[name + ".distance_keys"][rows]  # (T, S, K)
            scores = scores + torch.einsum("htk,tsk->hts", query, vectors) / scale
        if own and options["attention_window"]:
            scores = scores.masked_fill(distances.abs() > options["attention_window"], -math.inf)
        weights = (scores + mask).softmax(-1)
        self.attended.append((name, weights))
        result = weights @ value
        if relative:
            result = result + torch.einsum("hts,tsv->htv", weights, self.weights[name + ".distance_values"][rows])
        return self.linear(name + ".output", result.transpose(0, 1).flatten(1))

    def feed_forward(self, name, x):
        inner = self.linear(name + ".inner", x)
        gate = {"glu": sigmoid, "swiglu": silu, "geglu": gelu_tanh}.get(self.options["feed_forward"])
        inner = gate(self.linear(name + ".gate", x)) * inner if gate else self.activation(inner)
        return self.linear(name + ".outer", inner)

    def residual(self, name, x, sublayer):
        first = x if self.options["residual"] else 0
        if self.options["norm"] == "post":
            return self.norm(name + "_norm", first + sublayer(x))
        y = sublayer(self.norm(name + "_norm", x))
        return first + (self.norm(name + "_residual.norm_of_result", y) if self.options["norm"] == "sandwich" else y)

    def stack(self, side, x, mask, memory=None):
        if self.options["positions"] in ("bias", "alibi"):
            mask = mask + self.bias(side, len(x))
        for i in range(self.options[side + "_layers"]):
            name = f"{side}.layers.{i}."
            if self.options["positions"] == "every_layer":
                x = x + sinusoids("interleaved", len(x), x.shape[1])
            sublayers = {"self_attention": lambda y: self.attention(name + "self_attention", y, y, mask)}
            if memory is not None:
                sublayers["source_attention"] = lambda y: self.attention(
                    name + "source_attention", y, memory, torch.zeros(()))
            if self.options["feed_forward"] != "none":
                sublayers["feed_forward"] = lambda y: self.feed_forward(name + "feed_forward", y)
            if self.options["parallel_sublayers"]:
                x = self.residual(name + "self_attention", x, lambda y: sum(f(y) for f in sublayers.values()))
            else:
                for sublayer, f in sublayers.items():
                    x = self.residual(name + sublayer, x, f)
        return self.norm(side + ".norm", x) if self.options["norm"] != "post" else x

    def logits(self, source, target):
        if not self.options.get("source_end", True):
            source = source[:-1]
        memory = self.stack("encoder", self.embed("source", source), torch.zeros(()))
        future = torch.full((len(target), len(target)), -math.inf).triu(1)
        x = self.stack("decoder", self.embed("target", target), future, memory)
        name = {"all": "embedding", "target": "target_embedding", "none": "output"}[self.options["tie"]]
        return linear(x, self.weights[name + ".weight"], self.weights.get("output_bias"))
