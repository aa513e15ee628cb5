#!/usr/bin/env python3
"""Turns a model directory into one of CTranslate2's, with the same weights.

usage: ctranslate2_convert.py MODEL OUTPUT

For the paper's model: post-norm, sinusoidal positions, one vocabulary whose matrix serves both embeddings and the
output. Needs ctranslate2, numpy, sentencepiece and pyyaml.
"""
import json
import pathlib
import sys

import ctranslate2
import numpy
import sentencepiece
import yaml
from ctranslate2.specs import common_spec, transformer_spec


def load_safetensors(path):
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    numbers = memoryview(data)[8 + size:]
    return {
        name: numpy.frombuffer(numbers, numpy.float32, offset=entry["data_offsets"][0],
                               count=int(numpy.prod(entry["shape"]))).reshape(entry["shape"])
        for name, entry in header.items()
    }


def sinusoids(layout, length, d_model):
    half = d_model // 2
    denominator = max(half - 1, 1) if layout == "tensor2tensor" else half
    angles = numpy.outer(numpy.arange(length), numpy.exp(-numpy.log(10000.0) * numpy.arange(half) / denominator))
    pair = numpy.sin(angles), numpy.cos(angles)
    table = numpy.stack(pair, -1).reshape(length, d_model) if layout == "interleaved" else numpy.hstack(pair)
    return table.astype(numpy.float32)


class Converter:
    def __init__(self, weights):
        self.weights = weights

    def linear(self, spec, *names):
        """Several matrices become one, as CTranslate2 fuses them; absent biases become zeros."""
        matrices = [self.weights[name + ".weight"] for name in names]
        spec.weight = numpy.concatenate(matrices)
        spec.bias = numpy.concatenate([
            self.weights.get(name + ".bias", numpy.zeros(len(matrix), numpy.float32))
            for name, matrix in zip(names, matrices)])

    def norm(self, spec, name):
        spec.gamma, spec.beta = self.weights[name + ".norm.weight"], self.weights[name + ".norm.bias"]

    def attention(self, spec, name, fused):
        first = 0
        for parts in fused:
            self.linear(spec.linear[first], *[f"{name}.{part}" for part in parts])
            first += 1
        self.linear(spec.linear[first], name + ".output")
        self.norm(spec.layer_norm, name + "_residual")

    def layer(self, spec, name):
        self.attention(spec.self_attention, name + ".self_attention", [["query", "key", "value"]])
        if hasattr(spec, "attention"):
            self.attention(spec.attention, name + ".source_attention", [["query"], ["key", "value"]])
        self.linear(spec.ffn.linear_0, name + ".feed_forward.inner")
        self.linear(spec.ffn.linear_1, name + ".feed_forward.outer")
        self.norm(spec.ffn.layer_norm, name + ".feed_forward_residual")


def main():
    directory, output = pathlib.Path(sys.argv[1]), sys.argv[2]
    weights = load_safetensors(directory / "model.safetensors")
    model = yaml.safe_load((directory / "config.yaml").read_text())["model"]
    d_model = model["d_model"]
    expected = {"norm": "post", "tie": "all", "d_k": d_model // model["heads"], "d_v": d_model // model["heads"]}
    for key, value in expected.items():
        if model[key] != value:
            sys.exit(f"{directory}: model.{key}: expected {value}, found {model[key]}")
    activation = {"relu": common_spec.Activation.RELU, "gelu": common_spec.Activation.GELU,
                  "swish": common_spec.Activation.SWISH}[model["activation"]]
    spec = transformer_spec.TransformerSpec.from_config(
        (model["encoder_layers"], model["decoder_layers"]), model["heads"], pre_norm=False, activation=activation)
    converter = Converter(weights)
    for side in ("encoder", "decoder"):
        part = getattr(spec, side)
        for i, layer in enumerate(part.layer):
            converter.layer(layer, f"{side}.layers.{i}")
        embeddings = part.embeddings[0] if isinstance(part.embeddings, list) else part.embeddings
        embeddings.weight = weights["embedding.weight"]
        part.position_encodings.encodings = sinusoids(model["positions"], 2048, d_model)
    spec.decoder.projection.weight = weights["embedding.weight"]

    processor = sentencepiece.SentencePieceProcessor(model_file=str(directory / "tokenizer.model"))
    pieces = [processor.id_to_piece(i) for i in range(processor.get_piece_size())]
    spec.register_source_vocabulary(pieces)
    spec.register_target_vocabulary(pieces)
    spec.config.unk_token, spec.config.bos_token, spec.config.eos_token = pieces[0], pieces[2], pieces[3]
    spec.config.add_source_bos, spec.config.add_source_eos = False, True
    spec.config.decoder_start_token = pieces[2]
    spec.config.layer_norm_epsilon = float(model["norm_epsilon"])
    pathlib.Path(output).mkdir(parents=True, exist_ok=True)
    spec.validate()
    spec.save(output)


if __name__ == "__main__":
    main()
