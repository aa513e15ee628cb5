"""Prints tests/formats/huggingface/constants_encoders.h: small encoders of transformers and what they compute of a text.

Run: .deps/interop/bin/python tests/reference/huggingface_encoders.py > tests/formats/huggingface/constants_encoders.h
     && clang-format -i tests/formats/huggingface/constants_encoders.h
"""

import json

import torch
import transformers
from transformers import AlbertConfig, BertConfig, DistilBertConfig, RobertaConfig

import pattern as p

TEXT, PARTS = [2, 5, 6, 7, 3, 8, 9, 3], [0, 0, 0, 0, 0, 1, 1, 1]
SIZE, WIDTH = 14, 8
SMALL = {"vocab_size": SIZE, "hidden_size": WIDTH, "intermediate_size": 12, "num_hidden_layers": 2, "num_attention_heads": 2,
         "max_position_embeddings": 16}
ROBERTA = RobertaConfig(**SMALL, type_vocab_size=1, pad_token_id=0, bos_token_id=2, eos_token_id=3, layer_norm_eps=1e-5)
DISTIL = DistilBertConfig(vocab_size=SIZE, dim=WIDTH, hidden_dim=12, n_layers=2, n_heads=2, max_position_embeddings=16)
ALBERT = SMALL | {"embedding_size": 6, "classifier_dropout_prob": 0}
NAMES = {0: "bad", 1: "so so", 2: "good"}
MODELS = {
    "bert_alone": ("BertModel", BertConfig(**SMALL, hidden_act="relu")),
    "bert_masks": ("BertForMaskedLM", BertConfig(**SMALL)),
    "bert_untied": ("BertForMaskedLM", BertConfig(**SMALL, tie_word_embeddings=False)),
    "bert_two_tasks": ("BertForPreTraining", BertConfig(**SMALL)),
    "bert_classes": ("BertForSequenceClassification", BertConfig(**SMALL, id2label=NAMES)),
    "bert_number": ("BertForSequenceClassification", BertConfig(**SMALL, num_labels=1, problem_type="regression")),
    "bert_words": ("BertForTokenClassification", BertConfig(**SMALL, id2label=NAMES, classifier_dropout=0.3)),
    "bert_span": ("BertForQuestionAnswering", BertConfig(**SMALL, type_vocab_size=1)),
    "roberta_masks": ("RobertaForMaskedLM", ROBERTA),
    "roberta_classes": ("RobertaForSequenceClassification", ROBERTA),
    "distilbert_masks": ("DistilBertForMaskedLM", DISTIL),
    "distilbert_words": ("DistilBertForTokenClassification", DISTIL),
    "albert_alone": ("AlbertModel", AlbertConfig(**ALBERT | {"num_hidden_layers": 3}, num_hidden_groups=2)),
    "albert_masks": ("AlbertForMaskedLM", AlbertConfig(**ALBERT, inner_group_num=2)),
    "albert_two_tasks": ("AlbertForPreTraining", AlbertConfig(**ALBERT | {"embedding_size": WIDTH}, hidden_act="relu",
                                                              tie_word_embeddings=False)),
    "albert_classes": ("AlbertForSequenceClassification", AlbertConfig(**ALBERT, id2label=NAMES)),
    "albert_words": ("AlbertForTokenClassification", AlbertConfig(**ALBERT, id2label=NAMES, type_vocab_size=1)),
    "albert_span": ("AlbertForQuestionAnswering", AlbertConfig(**ALBERT)),
}


def literal(text):
    return f'R"j({text})j"'


def result_of(output):
    if "start_logits" in output:
        return torch.stack([output.start_logits, output.end_logits], -1)
    return next(output[key] for key in ("last_hidden_state", "logits", "prediction_logits") if key in output)


def model(name, class_name, config):
    made = getattr(transformers, class_name)(config).double().eval()
    tied = {"cls.predictions.decoder.weight", "lm_head.decoder.weight", "vocab_projector.weight", "cls.predictions.decoder.bias",
            "lm_head.decoder.bias", "predictions.decoder.weight", "predictions.decoder.bias"} if config.tie_word_embeddings else set()
    weights = {key: value for key, value in made.state_dict().items() if key not in tied}
    p.fill(weights)
    inputs = {"input_ids": torch.tensor([TEXT]), "attention_mask": torch.ones(1, len(TEXT), dtype=torch.long)}
    if getattr(config, "type_vocab_size", 1) > 1:
        inputs["token_type_ids"] = torch.tensor([PARTS])
    with torch.no_grad():
        result = result_of(made(**inputs))[0]
    content = config.to_diff_dict() | {"architectures": [class_name], "model_type": config.model_type}
    shapes = ", ".join(f'{{"{key}", {{{", ".join(map(str, value.shape))}}}}}' for key, value in weights.items())
    print(f"inline const TheirModel {name}{{.config = {literal(json.dumps(content))},")
    print(f".shapes = {{{shapes}}}, .logits = {p.numbers(result.flatten().tolist())}}};\n")


print(f"// Small encoders of transformers {transformers.__version__}: of one text their states or logits, in double precision.")
print("// Made by: python tests/reference/huggingface_encoders.py")
print('#pragma once\n\n#include "tests/formats/huggingface/constants_transformers.h"\n\nnamespace transformer::test {\n')
for each, (class_of_it, config_of_it) in MODELS.items():
    model(each, class_of_it, config_of_it)
p.print_footer()
