"""Prints tests/nn/constants_torch.h: what PyTorch's own modules compute for the weights of pattern.py.

Run: python tests/reference/nn_constants.py > tests/nn/constants_torch.h && clang-format -i tests/nn/constants_torch.h
"""

import torch
from torch import nn

import pattern as p

D, FF, HEADS, B, S, T = 8, 12, 2, 2, 4, 3


def variable(shape, name):
    return p.pattern(shape, name).requires_grad_()


def hidden(rows, columns):
    """The last source position of the second sentence is padding. True hides, as PyTorch has it."""
    mask = torch.zeros(rows, columns, dtype=torch.bool)
    mask[1, columns - 1] = True
    return mask


def finish(name, output, inputs, names):
    (output * p.pattern(tuple(output.shape), "loss")).sum().backward()
    p.print_reference(name, output, [x.grad for x in inputs], names)


def multi_head_attention():
    module = nn.MultiheadAttention(D, HEADS, batch_first=True).double()
    names = p.attention("", module)
    p.set_weights(names)
    x, memory = variable((B, T, D), "x"), variable((B, S, D), "memory")
    output, _ = module(x, memory, memory, key_padding_mask=hidden(B, S))
    finish("multi_head_attention", output, [x, memory], names)


def encoder_layer(name, norm_first):
    layer = nn.TransformerEncoderLayer(D, HEADS, FF, 0.0, batch_first=True, norm_first=norm_first).double()
    names = p.encoder_layer("", layer)
    p.set_weights(names)
    x = variable((B, S, D), "x")
    finish(name, layer(x, src_key_padding_mask=hidden(B, S)), [x], names)


def decoder_layer(name, norm_first):
    layer = nn.TransformerDecoderLayer(D, HEADS, FF, 0.0, batch_first=True, norm_first=norm_first).double()
    names = p.decoder_layer("", layer)
    p.set_weights(names)
    x, memory = variable((B, T, D), "x"), variable((B, S, D), "memory")
    causal = torch.ones(T, T, dtype=torch.bool).triu(1)
    output = layer(x, memory, tgt_mask=causal, memory_key_padding_mask=hidden(B, S))
    finish(name, output, [x, memory], names)


p.print_header("nn_constants.py", "What PyTorch's modules compute: d_model 8, d_ff 12, 2 heads, double precision.")
multi_head_attention()
encoder_layer("encoder_layer_post", False)
encoder_layer("encoder_layer_pre", True)
decoder_layer("decoder_layer_post", False)
decoder_layer("decoder_layer_pre", True)
p.print_footer()
