"""Prints tests/models/encoder/constants_torch.h: encoders of PyTorch's modules and of transformers, with gradients.

Run: .deps/interop/bin/python tests/reference/encoder_constants.py > tests/models/encoder/constants_torch.h
     && clang-format -i tests/models/encoder/constants_torch.h
"""

import math

import torch
import transformers
from torch import nn
from transformers import (AlbertConfig, AlbertForMaskedLM, BertConfig, BertForMaskedLM, BertForSequenceClassification,
                          BertForTokenClassification, BertModel)

import pattern as p

D, FF, HEADS, LAYERS, VOCABULARY, PAD = 8, 12, 2, 2, 11, 1
TEXT = torch.tensor([[2, 10, 4, 3, 9, 3], [2, 5, 6, 3, 1, 1]])
REAL = TEXT != PAD
PARTS = torch.tensor([[0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 1, 1]])
PLACES = [1, 4, 8]  # of the real tokens, in a row
HIDDEN = torch.tensor([7, 10, 4])


def report(name, output, loss, names):
    loss.backward()
    print(f"inline constexpr double {name}_loss = {loss.item():.14g};")
    p.print_reference(name, output, [], names)


def masked_loss(logits):
    return nn.functional.cross_entropy(logits[PLACES], HIDDEN, label_smoothing=0.1)


def paper():
    layer = nn.TransformerEncoderLayer(D, HEADS, FF, dropout=0.0, batch_first=True)
    stack = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False).double()
    embedding, output = nn.Embedding(VOCABULARY, D).double(), nn.Embedding(VOCABULARY, D).double()
    names = {"embedding.weight": (embedding.weight, slice(None)), "output.weight": (output.weight, slice(None))}
    for i in range(LAYERS):
        names.update(p.encoder_layer(f"encoder.layers.{i}.", stack.layers[i]))
    p.set_weights(names)
    places = p.sinusoids(TEXT.shape[1], D)
    states = stack(embedding(TEXT) * math.sqrt(D) + places, src_key_padding_mask=~REAL)
    logits = states[REAL] @ output.weight.T
    report("encoder_paper", logits, masked_loss(logits), names)


def names_of(bert):
    embeddings = bert.embeddings
    names = {"embedding.weight": embeddings.word_embeddings.weight,
             "positions.weight": embeddings.position_embeddings.weight,
             "segments.weight": embeddings.token_type_embeddings.weight}
    modules = {"embedding_norm": embeddings.LayerNorm}
    for i, layer in enumerate(bert.encoder.layer):
        prefix = f"encoder.layers.{i}."
        modules |= {prefix + "self_attention.query": layer.attention.self.query,
                    prefix + "self_attention.key": layer.attention.self.key,
                    prefix + "self_attention.value": layer.attention.self.value,
                    prefix + "self_attention.output": layer.attention.output.dense,
                    prefix + "self_attention_residual.norm": layer.attention.output.LayerNorm,
                    prefix + "feed_forward.inner": layer.intermediate.dense,
                    prefix + "feed_forward.outer": layer.output.dense,
                    prefix + "feed_forward_residual.norm": layer.output.LayerNorm}
    return names, modules


SIZES = {"vocab_size": VOCABULARY, "hidden_size": D, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS,
         "intermediate_size": FF, "max_position_embeddings": 6, "pad_token_id": PAD}


def bert(name, kind, labels, loss_of, modules_of):
    made = kind._from_config(BertConfig(**SIZES, num_labels=labels), attn_implementation="eager").double().eval()
    compare(name, made, names_of(made.bert), loss_of, modules_of)


def names_of_albert(albert):
    """Of one whose layers share nothing."""
    embeddings = albert.embeddings
    names = {"embedding.weight": embeddings.word_embeddings.weight,
             "positions.weight": embeddings.position_embeddings.weight,
             "segments.weight": embeddings.token_type_embeddings.weight}
    modules = {"embedding_norm": embeddings.LayerNorm,
               "embedding_projection": albert.encoder.embedding_hidden_mapping_in}
    for i, group in enumerate(albert.encoder.albert_layer_groups):
        layer, prefix = group.albert_layers[0], f"encoder.layers.{i}."
        modules |= {prefix + "self_attention.query": layer.attention.query,
                    prefix + "self_attention.key": layer.attention.key,
                    prefix + "self_attention.value": layer.attention.value,
                    prefix + "self_attention.output": layer.attention.dense,
                    prefix + "self_attention_residual.norm": layer.attention.LayerNorm,
                    prefix + "feed_forward.inner": layer.ffn,
                    prefix + "feed_forward.outer": layer.ffn_output,
                    prefix + "feed_forward_residual.norm": layer.full_layer_layer_norm}
    return names, modules


def albert(name, loss_of, modules_of):
    config = AlbertConfig(**SIZES, embedding_size=6, num_hidden_groups=LAYERS)
    made = AlbertForMaskedLM._from_config(config, attn_implementation="eager").double().eval()
    compare(name, made, names_of_albert(made.albert), loss_of, modules_of)


def compare(name, made, names_of_body, loss_of, modules_of):
    names, modules = names_of_body
    extra, more = modules_of(made)
    names |= extra
    for prefix, module in (modules | more).items():
        names |= {f"{prefix}.weight": module.weight, f"{prefix}.bias": module.bias}
    names = {key: (tensor, slice(None)) for key, tensor in names.items()}
    p.set_weights(names)
    logits = made(input_ids=TEXT, attention_mask=REAL.long(), token_type_ids=PARTS).logits
    if logits.dim() == 3:
        logits = logits[REAL]
    report(name, logits, loss_of(logits), names)


def of_masks(made):
    head = made.cls.predictions
    return {"output_bias": head.bias}, {"output_transform": head.transform.dense,
                                        "output_norm": head.transform.LayerNorm}


def of_texts(made):
    return {}, {"head.dense": made.bert.pooler.dense, "head.output": made.classifier}


def of_albert_masks(made):
    head = made.predictions
    return {"output_bias": head.bias}, {"output_transform": head.dense, "output_norm": head.LayerNorm}


p.print_header("encoder_constants.py", "Encoders alone: d_model 8, d_ff 12, 2 heads, 2 layers, vocabulary 11.")
paper()
bert("encoder_bert", BertForMaskedLM, 2, masked_loss, of_masks)
albert("encoder_albert", masked_loss, of_albert_masks)
bert("encoder_classes", BertForSequenceClassification, 3,
     lambda logits: nn.functional.cross_entropy(logits, torch.tensor([2, 0])), of_texts)
bert("encoder_number", BertForSequenceClassification, 1,
     lambda logits: nn.functional.mse_loss(logits.squeeze(1), torch.tensor([0.5, -1.25]).double()), of_texts)
bert("encoder_words", BertForTokenClassification, 3,
     lambda logits: nn.functional.cross_entropy(logits[PLACES], torch.tensor([1, 2, 0])),
     lambda made: ({}, {"head.output": made.classifier}))

print(f"// Parameters by transformers {transformers.__version__}, of its standard sizes.")
LARGE = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096}
with torch.device("meta"):
    for name, kind, options in (("bert_base", BertModel, {}), ("bert_base_masks", BertForMaskedLM, {}),
                                ("bert_base_classes", BertForSequenceClassification, {}),
                                ("bert_large", BertModel, LARGE), ("bert_large_masks", BertForMaskedLM, LARGE),
                                ("bert_large_30000", BertModel, LARGE | {"vocab_size": 30000, "type_vocab_size": 1})):
        count = sum(parameter.numel() for parameter in kind(BertConfig(**options)).parameters())
        print(f"inline constexpr std::int64_t {name} = {count};")
    apart = AlbertConfig(embedding_size=128, hidden_size=768, num_hidden_layers=12, num_hidden_groups=12, num_attention_heads=12,
                         intermediate_size=3072)
    count = sum(parameter.numel() for parameter in AlbertForMaskedLM(apart).parameters())
    print(f"inline constexpr std::int64_t albert_base_masks_apart = {count};  // layers that share nothing")
p.print_footer()
