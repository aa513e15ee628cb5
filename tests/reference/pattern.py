"""Numbers that Python and C++ make alike from a name (tests/nn/pattern.h), and how constants are printed."""

import math

import torch


def pattern(shape, name):
    phase = 0
    for character in name:
        phase = (31 * phase + ord(character)) % 997
    size = 1
    for extent in shape:
        size *= extent
    j = torch.arange(size, dtype=torch.float64)
    return torch.sin(j * j * 0.37 + j * 1.1 + phase).reshape(shape)


def weight(shape, name):
    """Matrices are half the pattern; vectors a tenth of it, around 1 where they are a norm's weight."""
    if len(shape) == 2:
        return 0.5 * pattern(shape, name)
    return 0.1 * pattern(shape, name) + (1.0 if name.endswith("norm.weight") or "norm_of_" in name else 0.0)


def fill(weights):
    """Sets each of {our name: tensor or view of one} and returns nothing."""
    with torch.no_grad():
        for name, value in weights.items():
            value.copy_(weight(tuple(value.shape), name))


def attention(prefix, module):
    """Our names of torch.nn.MultiheadAttention's weights, as functions from a tensor like in_proj_weight."""
    size = module.embed_dim
    names = {}
    for i, kind in enumerate(("query", "key", "value")):
        rows = slice(i * size, (i + 1) * size)
        names[f"{prefix}{kind}.weight"] = (module.in_proj_weight, rows)
        names[f"{prefix}{kind}.bias"] = (module.in_proj_bias, rows)
    names[f"{prefix}output.weight"] = (module.out_proj.weight, slice(None))
    names[f"{prefix}output.bias"] = (module.out_proj.bias, slice(None))
    return names


def module(prefix, linear):
    return {prefix + kind: (getattr(linear, kind), slice(None)) for kind in ("weight", "bias")}


def encoder_layer(prefix, layer):
    return {
        **attention(prefix + "self_attention.", layer.self_attn),
        **module(prefix + "self_attention_residual.norm.", layer.norm1),
        **module(prefix + "feed_forward.inner.", layer.linear1),
        **module(prefix + "feed_forward.outer.", layer.linear2),
        **module(prefix + "feed_forward_residual.norm.", layer.norm2),
    }


def decoder_layer(prefix, layer):
    return {
        **attention(prefix + "self_attention.", layer.self_attn),
        **module(prefix + "self_attention_residual.norm.", layer.norm1),
        **attention(prefix + "source_attention.", layer.multihead_attn),
        **module(prefix + "source_attention_residual.norm.", layer.norm2),
        **module(prefix + "feed_forward.inner.", layer.linear1),
        **module(prefix + "feed_forward.outer.", layer.linear2),
        **module(prefix + "feed_forward_residual.norm.", layer.norm3),
    }


def set_weights(names):
    fill({name: tensor[rows] for name, (tensor, rows) in names.items()})


def slopes(names):
    """Each weight's gradient, seen along one direction that its name decides."""
    result = {}
    for name, (tensor, rows) in names.items():
        gradient = tensor.grad[rows]
        result[name] = (gradient * pattern(tuple(gradient.shape), name + " direction")).sum().item()
    return result


def numbers(values):
    return "{" + ", ".join(f"{value:.14g}" for value in values) + "}"


def print_reference(name, output, gradients, names):
    """One test::Reference (tests/nn/pattern.h)."""
    print(f"inline const Reference {name}{{")
    print(f"    .output = {numbers(output.detach().flatten().tolist())},")
    print("    .input_gradients = {" + ", ".join(numbers(g.flatten().tolist()) for g in gradients) + "},")
    print("    .slopes = {")
    for key, value in slopes(names).items():
        print(f'        {{"{key}", {value:.14g}}},')
    print("    }};\n")


def print_header(script, purpose):
    print(f"// {purpose}\n// Made with PyTorch {torch.__version__.split('+')[0]} by: python tests/reference/{script}")
    print("#pragma once\n\n#include \"tests/nn/pattern.h\"\n\nnamespace transformer::test {\n")


def print_footer():
    print("}  // namespace transformer::test")


def sinusoids(length, width):
    table = torch.empty(length, width, dtype=torch.float64)
    for position in range(length):
        for i in range(width // 2):
            angle = position / 10000 ** (2 * i / width)
            table[position, 2 * i] = math.sin(angle)
            table[position, 2 * i + 1] = math.cos(angle)
    return table.float().double()
