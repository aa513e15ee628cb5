"""Prints tests/models/decoder/constants_torch.h: language models of PyTorch's modules, losses and gradients.

Run: python tests/reference/decoder_constants.py > tests/models/decoder/constants_torch.h
     && clang-format -i tests/models/decoder/constants_torch.h
"""

import math

import torch
from torch import nn

import pattern as p

D, FF, HEADS, LAYERS, VOCABULARY, PAD = 8, 12, 2, 2, 11, 1
TEXT = torch.tensor([[2, 10, 4, 9], [2, 5, 6, 1]])
NEXT = torch.tensor([[10, 4, 9, 3], [5, 6, 3, 1]])


def model(name, norm_first, activation, learned, tied):
    layer = nn.TransformerEncoderLayer(D, HEADS, FF, dropout=0.0, batch_first=True, norm_first=norm_first,
                                       activation=activation)
    stack = nn.TransformerEncoder(layer, LAYERS, nn.LayerNorm(D) if norm_first else None,
                                  enable_nested_tensor=False).double()
    embedding = nn.Embedding(VOCABULARY, D).double()
    output = embedding if tied else nn.Embedding(VOCABULARY, D).double()
    places = nn.Embedding(6, D).double()

    names = {"embedding.weight": (embedding.weight, slice(None))}
    if not tied:
        names["output.weight"] = (output.weight, slice(None))
    if learned:
        names["positions.weight"] = (places.weight, slice(None))
    for i in range(LAYERS):
        names.update(p.encoder_layer(f"decoder.layers.{i}.", stack.layers[i]))
    if norm_first:
        names.update(p.module("decoder.norm.", stack.norm))
    p.set_weights(names)

    length = TEXT.shape[1]
    position = places.weight[:length] if learned else p.sinusoids(length, D)
    states = stack(embedding(TEXT) * math.sqrt(D) + position,
                   mask=torch.ones(length, length, dtype=torch.bool).triu(1))
    logits = states @ output.weight.T
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), NEXT.flatten(), ignore_index=PAD, label_smoothing=0.1)
    loss.backward()
    print(f"inline constexpr double {name}_loss = {loss.item():.14g};")
    p.print_reference(name, logits, [], names)


p.print_header("decoder_constants.py", "Decoders alone: d_model 8, d_ff 12, 2 heads, 2 layers, vocabulary 11.")
model("decoder_paper", False, "relu", False, True)
model("decoder_gpt", True, "gelu", True, False)
p.print_footer()
