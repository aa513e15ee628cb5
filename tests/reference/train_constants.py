"""Prints tests/train/constants_torch.h: PyTorch's label-smoothed cross-entropy, its Adam, AdamW and Muon,
adapters of low rank, and its schedulers.

Run: python tests/reference/train_constants.py > tests/train/constants_torch.h && clang-format -i tests/train/constants_torch.h
"""

import torch

import pattern as p

N, V = 5, 7
RATES = [0.01, 0.003, 0.02]
WEIGHT_DECAY = 0.1
PEAK, FLOOR, DECAY_STEPS = 0.005, 0.0002, 8
MUON_SHAPES = {"wide": (3, 5), "tall": (6, 4), "square": (4, 4), "embedding": (5, 3), "bias": (4,)}
MUON_STEPS = 20
RANK, ALPHA = 2, 3.0


def cross_entropy(name, label_smoothing):
    logits = p.pattern((N, V), "logits").mul(3).requires_grad_()
    labels = torch.arange(N) * 3 % V
    loss = torch.nn.functional.cross_entropy(
        logits, labels, label_smoothing=label_smoothing, reduction="sum")
    loss.backward()
    p.print_reference(name, loss, [logits.grad], {})


def optimize(kind, make):
    """make: from {name: parameter} to an optimiser."""
    shapes = {"matrix": (3, 2), "vector": (4,)}
    values = {name: p.pattern(shape, name).requires_grad_() for name, shape in shapes.items()}
    optimizer = make(values)
    for step, rate in enumerate(RATES, 1):
        for name, value in values.items():
            value.grad = p.pattern(shapes[name], f"{name} {step}")
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.step()
    for name, value in values.items():
        print(f"inline const std::vector<double> {kind}_{name} = {p.numbers(value.flatten().tolist())};")


def adam():
    settings = {"betas": (0.9, 0.98), "eps": 1e-9}
    print(f"inline const std::vector<double> adam_rates = {p.numbers(RATES)};")
    optimize("adam", lambda values: torch.optim.Adam(values.values(), **settings))
    print(f"inline const double adamw_weight_decay = {WEIGHT_DECAY};")
    optimize("adamw", lambda values: torch.optim.AdamW(
        [{"params": [values["matrix"]], "weight_decay": WEIGHT_DECAY},
         {"params": [values["vector"]], "weight_decay": 0.0}], **settings))


def muon():
    """Every third step has the first of three rates, and so on."""
    values = {name: p.pattern(shape, name).requires_grad_() for name, shape in MUON_SHAPES.items()}
    torch.Tensor.bfloat16 = torch.Tensor.double  # in which PyTorch orthogonalises, whatever the parameters are
    hidden = [values[name] for name in ("wide", "tall", "square")]
    optimizers = [
        torch.optim.Muon(hidden, weight_decay=WEIGHT_DECAY, momentum=0.95, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW([{"params": [values["embedding"]], "weight_decay": WEIGHT_DECAY},
                           {"params": [values["bias"]], "weight_decay": 0.0}], betas=(0.9, 0.98), eps=1e-9)]
    for step in range(1, MUON_STEPS + 1):
        for name, value in values.items():
            value.grad = p.pattern(MUON_SHAPES[name], f"{name} {step}")
        for optimizer in optimizers:
            for group in optimizer.param_groups:
                group["lr"] = RATES[(step - 1) % len(RATES)]
            optimizer.step()
    print(f"inline const std::map<std::string, std::vector<double>> muon = {{")
    for name, value in values.items():
        print(f'{{"{name}", {p.numbers(value.flatten().tolist())}}},')
    print("};")


def adapters():
    """A linear layer whose matrix is base + ALPHA / RANK * B A, in three steps of Adam."""
    base = p.pattern((4, 6), "base")
    a, b = (p.pattern(shape, name).requires_grad_() for shape, name in (((RANK, 6), "a"), ((4, RANK), "b")))
    x, target = p.pattern((5, 6), "x"), p.pattern((5, 4), "target")
    optimizer = torch.optim.Adam([a, b], betas=(0.9, 0.98), eps=1e-9)

    def matrix():
        return base + ALPHA / RANK * b @ a

    for rate in RATES:
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.zero_grad()
        (x @ matrix().T - target).square().sum().backward()
        optimizer.step()
    print(f"inline const std::int64_t adapter_rank = {RANK};")
    print(f"inline const double adapter_alpha = {ALPHA};")
    for name, value in {"a": a, "b": b, "matrix": matrix()}.items():
        print(f"inline const std::vector<double> adapter_{name} = {p.numbers(value.flatten().tolist())};")


def schedule(name, make):
    """The rates from the peak to the floor, both included. make: from an optimiser to a scheduler."""
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=PEAK)
    scheduler = make(optimizer)
    rates = [PEAK]
    for _ in range(DECAY_STEPS):
        optimizer.step()
        scheduler.step()
        rates.append(scheduler.get_last_lr()[0])
    print(f"inline const std::vector<double> {name}_rates = {p.numbers(rates)};")


def schedules():
    print(f"inline const double peak_rate = {PEAK}, floor_rate = {FLOOR};")
    schedule("cosine", lambda optimizer: torch.optim.lr_scheduler.CosineAnnealingLR(
        optimizer, T_max=DECAY_STEPS, eta_min=FLOOR))
    schedule("linear", lambda optimizer: torch.optim.lr_scheduler.LinearLR(
        optimizer, start_factor=1.0, end_factor=FLOOR / PEAK, total_iters=DECAY_STEPS))


p.print_header("train_constants.py", "What PyTorch's loss, optimisers and schedulers compute, in double precision.")
cross_entropy("smoothed_cross_entropy", 0.1)
cross_entropy("plain_cross_entropy", 0.0)
adam()
muon()
adapters()
schedules()
p.print_footer()
