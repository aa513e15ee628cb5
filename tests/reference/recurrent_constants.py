"""Prints tests/models/recurrent/constants_torch.h: recurrent models of PyTorch's layers and cells, with attention written
out by its formulas, their losses and their gradients.

Run: python tests/reference/recurrent_constants.py > tests/models/recurrent/constants_torch.h
     && clang-format -i tests/models/recurrent/constants_torch.h
"""

import torch
from torch import nn

import pattern as p

D, VOCABULARY, PAD = 8, 11, 1
SOURCE = [[4, 5, 6, 7, 3], [8, 9, 3]]
TARGET_IN = torch.tensor([[2, 10, 4, 9], [2, 5, 6, 1]])
TARGET_OUT = torch.tensor([[10, 4, 9, 3], [5, 6, 3, 1]])


def parameter(*shape):
    return torch.zeros(*shape, dtype=torch.float64, requires_grad=True)


def model(name, cell, attention, encoder_layers, decoder_layers, bidirectional=True, reverse=False, feeding=False,
          tie="none", bias=False):
    layer_type, cell_type = (nn.GRU, nn.GRUCell) if cell == "gru" else (nn.LSTM, nn.LSTMCell)
    feeds = attention == "additive" or feeding
    names = {}
    if tie == "all":
        embedding = source_embedding = output = parameter(VOCABULARY, D)
        names["embedding.weight"] = embedding
    else:
        source_embedding, embedding, output = (parameter(VOCABULARY, D) for _ in range(3))
        names.update({"source_embedding.weight": source_embedding, "target_embedding.weight": embedding,
                      "output.weight": output})
    if bias:
        names["output_bias"] = parameter(VOCABULARY)
    units = D // 2 if bidirectional else D
    encoder = [layer_type(D, units, bidirectional=bidirectional, batch_first=True).double() for _ in range(encoder_layers)]
    decoder = [cell_type(2 * D if feeds and i == 0 else D, D).double() for i in range(decoder_layers)]
    for i, layer in enumerate(encoder):
        names.update({f"encoder.{i}.{key}": value for key, value in layer.named_parameters()})
    for i, layer in enumerate(decoder):
        names.update({f"decoder.{i}.{key}_l0": value for key, value in layer.named_parameters()})
    if attention != "none":
        names["attention.key.weight"] = key_matrix = parameter(D, D)
        if attention == "additive":
            names["attention.query.weight"] = query_matrix = parameter(D, D)
            names["attention.score_weight"] = score = parameter(1, D)
        names["readout.weight"] = readout = parameter(D, 2 * D)
    p.fill(names)

    # The encoder, sentence by sentence: no padding, no packing.
    scale = D ** 0.5
    memories, begins = [], []
    for ids in SOURCE:
        x = scale * source_embedding[torch.tensor(ids[-2::-1] + ids[-1:] if reverse else ids)].unsqueeze(0)
        lasts = []
        for layer in encoder:
            x, last = layer(x)
            parts = last if cell == "lstm" else (last,)
            lasts.append([part.transpose(0, 1).reshape(1, D) for part in parts])
        states = x[0]
        memories.append(torch.cat([states[:-1].flip(0), states[-1:]]) if reverse else states)
        begins.append(lasts)

    rows = []
    for sentence, memory in enumerate(memories):
        state = []
        for i in range(decoder_layers):
            j = i - decoder_layers + encoder_layers
            state.append([part for part in begins[sentence][j]] if j >= 0 else
                         [torch.zeros(1, D, dtype=torch.float64) for _ in begins[sentence][0]])
        previous = torch.zeros(D, dtype=torch.float64)

        def attend(query):
            if attention == "additive":
                scores = torch.stack([(score[0] * torch.tanh(query_matrix @ query + key_matrix @ h)).sum() for h in memory])
            else:
                scores = torch.stack([query @ (key_matrix @ h) for h in memory])
            weights = scores.exp() / scores.exp().sum()
            return sum(w * h for w, h in zip(weights, memory))

        logits = []
        for token in TARGET_IN[sentence]:
            x = scale * embedding[token]
            if attention == "additive":
                context = attend(state[-1][0][0])
                x = torch.cat([x, context])
            elif feeding:
                x = torch.cat([x, previous])
            for i, layer in enumerate(decoder):
                if cell == "gru":
                    state[i] = [layer(x.unsqueeze(0), state[i][0])]
                else:
                    state[i] = list(layer(x.unsqueeze(0), tuple(state[i])))
                x = state[i][0][0]
            if attention == "product":
                context = attend(x)
            previous = torch.tanh(readout @ torch.cat([x, context])) if attention != "none" else x
            logits.append(output @ previous + (names["output_bias"] if bias else 0))
        rows.append(torch.stack(logits))
    logits = torch.stack(rows)
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), TARGET_OUT.flatten(), ignore_index=PAD, label_smoothing=0.1)
    loss.backward()
    print(f"inline constexpr double {name}_loss = {loss.item():.14g};")
    p.print_reference(name, logits, [], {key: (value, slice(None)) for key, value in names.items()})


p.print_header("recurrent_constants.py", "Whole recurrent models: d_model 8, vocabulary 11.")
model("gru_additive", "gru", "additive", 2, 2)
model("lstm_feeding", "lstm", "product", 1, 1, reverse=True, feeding=True, tie="all")
model("gru_product", "gru", "product", 1, 2, bias=True)
model("lstm_none", "lstm", "none", 2, 1, bidirectional=False, reverse=True, tie="all")
p.print_footer()
