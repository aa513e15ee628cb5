"""Prints tests/train/constants_torch.h: PyTorch's label-smoothed cross-entropy and its Adam.

Run: python tests/reference/train_constants.py > tests/train/constants_torch.h && clang-format -i tests/train/constants_torch.h
"""

import torch

import pattern as p

N, V = 5, 7
RATES = [0.01, 0.003, 0.02]


def cross_entropy(name, label_smoothing):
    logits = p.pattern((N, V), "logits").mul(3).requires_grad_()
    labels = torch.arange(N) * 3 % V
    loss = torch.nn.functional.cross_entropy(
        logits, labels, label_smoothing=label_smoothing, reduction="sum")
    loss.backward()
    p.print_reference(name, loss, [logits.grad], {})


def adam():
    shapes = {"matrix": (3, 2), "vector": (4,)}
    values = {name: p.pattern(shape, name).requires_grad_() for name, shape in shapes.items()}
    optimizer = torch.optim.Adam(values.values(), betas=(0.9, 0.98), eps=1e-9)
    for step, rate in enumerate(RATES, 1):
        for name, value in values.items():
            value.grad = p.pattern(shapes[name], f"{name} {step}")
        optimizer.param_groups[0]["lr"] = rate
        optimizer.step()
    print(f"inline const std::vector<double> adam_rates = {p.numbers(RATES)};")
    for name, value in values.items():
        print(f"inline const std::vector<double> adam_{name} = {p.numbers(value.flatten().tolist())};")


p.print_header("train_constants.py", "What PyTorch's loss and optimiser compute, in double precision.")
cross_entropy("smoothed_cross_entropy", 0.1)
cross_entropy("plain_cross_entropy", 0.0)
adam()
p.print_footer()
