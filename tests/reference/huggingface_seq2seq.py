"""Prints tests/formats/huggingface/constants_seq2seq.h: small encoder-decoders of transformers.

Run: .deps/interop/bin/python tests/reference/huggingface_seq2seq.py > tests/formats/huggingface/constants_seq2seq.h
     && clang-format -i tests/formats/huggingface/constants_seq2seq.h
"""

import json

import torch
import transformers
from transformers import (BartConfig, BartForConditionalGeneration, M2M100Config, M2M100ForConditionalGeneration, T5Config,
                          T5ForConditionalGeneration)

import pattern as p

SOURCE, TARGET = [[7, 4, 9, 10, 5, 3]], [[6, 8, 8, 10, 4]]
SMALL = {"vocab_size": 12, "d_model": 8, "pad_token_id": 1, "eos_token_id": 3}
T5 = {**SMALL, "d_kv": 6, "d_ff": 12, "num_layers": 1, "num_decoder_layers": 2, "num_heads": 2, "decoder_start_token_id": 1}
M2M = {**SMALL, "encoder_layers": 1, "decoder_layers": 2, "encoder_attention_heads": 2, "decoder_attention_heads": 2,
       "encoder_ffn_dim": 12, "decoder_ffn_dim": 12, "max_position_embeddings": 16, "decoder_start_token_id": 3, "bos_token_id": 2}
MODELS = {
    "t5": (T5ForConditionalGeneration, T5Config(**T5)),
    "t5_gated": (T5ForConditionalGeneration, T5Config(**T5, feed_forward_proj="gated-gelu", tie_word_embeddings=False)),
    "m2m_100": (M2M100ForConditionalGeneration, M2M100Config(**M2M)),
    "bart": (BartForConditionalGeneration, BartConfig(**M2M)),
}


def model(name, kind, config):
    made = kind(config).double().eval()
    if name == "t5_gated":
        made.lm_head.weight = torch.nn.Parameter(torch.zeros_like(made.lm_head.weight))
    weights = {key: value for key, value in made.state_dict().items()
               if "embed_tokens" not in key and ("embed_positions" not in key or name == "bart")
               and (key != "lm_head.weight" or name == "t5_gated")}
    p.fill(weights)
    start = torch.tensor([[config.decoder_start_token_id]])
    with torch.no_grad():
        logits = made(input_ids=torch.tensor(SOURCE), decoder_input_ids=torch.cat([start, torch.tensor(TARGET)], 1)).logits[0]
    shapes = ", ".join(f'{{"{key}", {{{", ".join(map(str, value.shape))}}}}}' for key, value in weights.items())
    print(f'inline const TheirModel {name}{{.config = R"j({json.dumps(config.to_diff_dict())})j",')
    print(f".shapes = {{{shapes}}}, .logits = {p.numbers(logits.flatten().tolist())}}};\n")


print(f"// Small encoder-decoders of transformers {transformers.__version__}: logits of one target, in double precision.\n"
      "// Made by: python tests/reference/huggingface_seq2seq.py\n#pragma once\n\n"
      '#include "tests/formats/huggingface/constants_transformers.h"\n\nnamespace transformer::test {\n')
for each, (kind, config) in MODELS.items():
    model(each, kind, config)
p.print_footer()
