"""Prints tests/models/constants_torch.h: a whole model of PyTorch's modules, its loss and its gradients.

Run: python tests/reference/model_constants.py > tests/models/constants_torch.h
     && clang-format -i tests/models/constants_torch.h
"""

import math

import torch
from torch import nn

import pattern as p

D, FF, HEADS, LAYERS, VOCABULARY, PAD = 8, 12, 2, 2, 11, 1
SOURCE = torch.tensor([[4, 5, 6, 7, 3], [8, 9, 3, 1, 1]])
TARGET_IN = torch.tensor([[2, 10, 4, 9], [2, 5, 6, 1]])
TARGET_OUT = torch.tensor([[10, 4, 9, 3], [5, 6, 3, 1]])


def model(name, norm_first):
    options = dict(dropout=0.0, batch_first=True, norm_first=norm_first)
    final = [nn.LayerNorm(D) if norm_first else None for _ in range(2)]
    encoder = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(D, HEADS, FF, **options), LAYERS, final[0], enable_nested_tensor=False).double()
    decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(D, HEADS, FF, **options), LAYERS, final[1]).double()
    embedding = nn.Embedding(VOCABULARY, D).double()

    names = {"embedding.weight": (embedding.weight, slice(None))}
    for i in range(LAYERS):
        names.update(p.encoder_layer(f"encoder.layers.{i}.", encoder.layers[i]))
        names.update(p.decoder_layer(f"decoder.layers.{i}.", decoder.layers[i]))
    if norm_first:
        names.update(p.module("encoder.norm.", encoder.norm))
        names.update(p.module("decoder.norm.", decoder.norm))
    p.set_weights(names)

    def embed(ids):
        return embedding(ids) * math.sqrt(D) + p.sinusoids(ids.shape[1], D)

    padding = SOURCE == PAD
    length = TARGET_IN.shape[1]
    memory = encoder(embed(SOURCE), src_key_padding_mask=padding)
    states = decoder(embed(TARGET_IN), memory, tgt_mask=torch.ones(length, length, dtype=torch.bool).triu(1),
                     memory_key_padding_mask=padding)
    logits = states @ embedding.weight.T
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), TARGET_OUT.flatten(), ignore_index=PAD,
                                       label_smoothing=0.1)
    loss.backward()
    print(f"inline constexpr double {name}_loss = {loss.item():.14g};")
    p.print_reference(name, logits, [], names)


p.print_header("model_constants.py", "A whole model: d_model 8, d_ff 12, 2 heads, 2 layers, vocabulary 11, all tied.")
model("model_post", False)
model("model_pre", True)
p.print_footer()
