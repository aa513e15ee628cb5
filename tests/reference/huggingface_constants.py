"""Prints tests/formats/huggingface/constants_transformers.h: small models of transformers, and GPT-2's pieces.

Run: .deps/interop/bin/python tests/reference/huggingface_constants.py > tests/formats/huggingface/constants_transformers.h
     && clang-format -i tests/formats/huggingface/constants_transformers.h
"""

import json

import tokenizers
import torch
import transformers
from transformers import AutoModelForCausalLM, GemmaConfig, GPT2Config, GPT2Tokenizer, LlamaConfig

import pattern as p

TEXT = [2, 7, 4, 9, 10, 5]
SMALL = {"vocab_size": 11, "hidden_size": 8, "intermediate_size": 12, "num_hidden_layers": 2, "num_attention_heads": 4,
         "num_key_value_heads": 2, "max_position_embeddings": 16, "bos_token_id": 1, "eos_token_id": 2}
MODELS = {
    "llama": LlamaConfig(**SMALL, head_dim=6, rope_parameters={"rope_type": "default", "rope_theta": 500.0},
                         attention_bias=True),
    "llama_tied": LlamaConfig(**SMALL, mlp_bias=True, tie_word_embeddings=True, rms_norm_eps=1e-3),
    "gemma": GemmaConfig(**SMALL, head_dim=6),
    "gpt2": GPT2Config(vocab_size=11, n_embd=8, n_layer=2, n_head=2, n_positions=16, bos_token_id=10, eos_token_id=10),
}
LINES = ["The cat's hat isn't here, is it?", "We'll see 12 of them, or 1 234.", "Ein Mädchen läuft über die Straße.",
         "the man  and\n\n the   woman ...", "they've said: I'm sure you'd go!", "日本語のテキスト, αβγ, ½ ²", "\ttabs \n"]


def literal(text):
    return f'R"j({text})j"'


def model(name, config):
    made = AutoModelForCausalLM.from_config(config).double().eval()
    weights = {key: value for key, value in made.state_dict().items() if not (key == "lm_head.weight" and config.tie_word_embeddings)}
    p.fill(weights)
    with torch.no_grad():
        logits = made(torch.tensor([TEXT])).logits[0]
    shapes = ", ".join(f'{{"{key}", {{{", ".join(map(str, value.shape))}}}}}' for key, value in weights.items())
    print(f"inline const TheirModel {name}{{.config = {literal(json.dumps(config.to_diff_dict()))},")
    print(f".shapes = {{{shapes}}}, .logits = {p.numbers(logits.flatten().tolist())}}};\n")


def pieces():
    trained = tokenizers.ByteLevelBPETokenizer()
    trained.train_from_iterator(LINES * 3, vocab_size=330, min_frequency=2, show_progress=False)
    content = json.loads(trained.to_str())["model"]
    merges = [" ".join(pair) for pair in content["merges"]]
    reader = GPT2Tokenizer(vocab=content["vocab"], merges=[tuple(m.split(" ")) for m in merges])
    print(f"inline const char* const gpt2_vocabulary = {literal(json.dumps(content['vocab'], ensure_ascii=False))};")
    print("inline const char* const gpt2_merges = " + literal("\n".join(["#version: 0.2", *merges, ""])) + ";")
    texts = LINES + ["", " ", "  x", "a\u00a0b\u3000c", "don't DON'T 'tis 've", "x²y³ Ⅷ", "🙂🙂 naïve", "a\r\n\r\nb  \n  c "]
    print("inline const std::vector<std::pair<std::string, std::vector<std::int32_t>>> gpt2_ids{")
    for text in texts:
        ids = reader.backend_tokenizer.encode(text, add_special_tokens=False).ids
        print(f"{{{json.dumps(text, ensure_ascii=False)}, {{{', '.join(map(str, ids))}}}}},")
    print("};\n")


p.print_header("huggingface_constants.py", f"Small models of transformers {transformers.__version__}: logits of one text in double precision.")
print("struct TheirModel {\n  const char* config;\n  std::map<std::string, std::vector<std::int64_t>> shapes;\n"
      "  std::vector<double> logits;\n};\n")
for each, config in MODELS.items():
    model(each, config)
pieces()
p.print_footer()
