// Small models of transformers 5.23.0: logits of one text in double precision.
// Made with PyTorch 2.11.0 by: python tests/reference/huggingface_constants.py
#pragma once

#include "tests/nn/pattern.h"

namespace transformer::test {

struct TheirModel {
  const char* config;
  std::map<std::string, std::vector<std::int64_t>> shapes;
  std::vector<double> logits;
};

inline const TheirModel llama{
    .config =
        R"j({"transformers_version": "5.23.0", "vocab_size": 11, "hidden_size": 8, "intermediate_size": 12, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "hidden_act": "silu", "max_position_embeddings": 16, "initializer_range": 0.02, "rms_norm_eps": 1e-06, "use_cache": true, "pad_token_id": null, "bos_token_id": 1, "eos_token_id": 2, "pretraining_tp": 1, "tie_word_embeddings": false, "rope_parameters": {"rope_type": "default", "rope_theta": 500.0}, "attention_bias": true, "attention_dropout": 0.0, "mlp_bias": false, "head_dim": 6, "model_type": "llama"})j",
    .shapes = {{"model.embed_tokens.weight", {11, 8}},
               {"model.layers.0.self_attn.q_proj.weight", {24, 8}},
               {"model.layers.0.self_attn.q_proj.bias", {24}},
               {"model.layers.0.self_attn.k_proj.weight", {12, 8}},
               {"model.layers.0.self_attn.k_proj.bias", {12}},
               {"model.layers.0.self_attn.v_proj.weight", {12, 8}},
               {"model.layers.0.self_attn.v_proj.bias", {12}},
               {"model.layers.0.self_attn.o_proj.weight", {8, 24}},
               {"model.layers.0.self_attn.o_proj.bias", {8}},
               {"model.layers.0.mlp.gate_proj.weight", {12, 8}},
               {"model.layers.0.mlp.up_proj.weight", {12, 8}},
               {"model.layers.0.mlp.down_proj.weight", {8, 12}},
               {"model.layers.0.input_layernorm.weight", {8}},
               {"model.layers.0.post_attention_layernorm.weight", {8}},
               {"model.layers.1.self_attn.q_proj.weight", {24, 8}},
               {"model.layers.1.self_attn.q_proj.bias", {24}},
               {"model.layers.1.self_attn.k_proj.weight", {12, 8}},
               {"model.layers.1.self_attn.k_proj.bias", {12}},
               {"model.layers.1.self_attn.v_proj.weight", {12, 8}},
               {"model.layers.1.self_attn.v_proj.bias", {12}},
               {"model.layers.1.self_attn.o_proj.weight", {8, 24}},
               {"model.layers.1.self_attn.o_proj.bias", {8}},
               {"model.layers.1.mlp.gate_proj.weight", {12, 8}},
               {"model.layers.1.mlp.up_proj.weight", {12, 8}},
               {"model.layers.1.mlp.down_proj.weight", {8, 12}},
               {"model.layers.1.input_layernorm.weight", {8}},
               {"model.layers.1.post_attention_layernorm.weight", {8}},
               {"model.norm.weight", {8}},
               {"lm_head.weight", {11, 8}}},
    .logits = {
        0.55244992146338,  0.20476520987552,  -0.59582521112218,  -1.0024565521783,  0.88598777730119,
        0.14917290044357,  0.034709770177507, 0.15589876471702,   0.62713859978005,  1.9764481593701,
        0.46194006215822,  0.75076249950557,  0.015858958525004,  -0.18771240880242, -1.0291872018788,
        1.4198552786379,   0.031512609272575, -0.044916895319472, -1.3382595335172,  0.83202561923402,
        1.7914259328476,   0.086293397770088, 0.66494672182179,   -0.60191926252709, 1.545387607552,
        1.1730953583122,   -0.34589784553366, -0.86500334259517,  0.43933411466974,  -1.6504574952277,
        -0.68604043290536, -2.2755154272895,  0.31468146745242,   -0.16121033030951, -1.5240312175633,
        0.84646220388136,  -0.92313593468008, 1.9558255629983,    0.51406126291783,  -0.064487203262594,
        -2.3197732291328,  0.89104683646809,  0.4968518118279,    -1.5250233313348,  -1.1102878737771,
        -1.4435605327042,  0.27748894329601,  -1.0959311589116,   1.2539769629081,   -0.1691717774177,
        1.5356765831094,   -0.39897524660705, 0.51244187613342,   -1.6814591129824,  -1.8232580117574,
        -1.0426568134346,  -1.419087603309,   0.39897241496938,   -0.85858915970727, 1.004769024067,
        -0.35346917969276, 1.293739258473,    -0.79683068498425,  0.15016827728427,  -2.2918994268403,
        -2.0327704990019}};

inline const TheirModel llama_tied{
    .config =
        R"j({"transformers_version": "5.23.0", "vocab_size": 11, "hidden_size": 8, "intermediate_size": 12, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "hidden_act": "silu", "max_position_embeddings": 16, "initializer_range": 0.02, "rms_norm_eps": 0.001, "use_cache": true, "pad_token_id": null, "bos_token_id": 1, "eos_token_id": 2, "pretraining_tp": 1, "tie_word_embeddings": true, "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"}, "attention_bias": false, "attention_dropout": 0.0, "mlp_bias": true, "head_dim": 2, "model_type": "llama"})j",
    .shapes = {{"model.embed_tokens.weight", {11, 8}},
               {"model.layers.0.self_attn.q_proj.weight", {8, 8}},
               {"model.layers.0.self_attn.k_proj.weight", {4, 8}},
               {"model.layers.0.self_attn.v_proj.weight", {4, 8}},
               {"model.layers.0.self_attn.o_proj.weight", {8, 8}},
               {"model.layers.0.mlp.gate_proj.weight", {12, 8}},
               {"model.layers.0.mlp.gate_proj.bias", {12}},
               {"model.layers.0.mlp.up_proj.weight", {12, 8}},
               {"model.layers.0.mlp.up_proj.bias", {12}},
               {"model.layers.0.mlp.down_proj.weight", {8, 12}},
               {"model.layers.0.mlp.down_proj.bias", {8}},
               {"model.layers.0.input_layernorm.weight", {8}},
               {"model.layers.0.post_attention_layernorm.weight", {8}},
               {"model.layers.1.self_attn.q_proj.weight", {8, 8}},
               {"model.layers.1.self_attn.k_proj.weight", {4, 8}},
               {"model.layers.1.self_attn.v_proj.weight", {4, 8}},
               {"model.layers.1.self_attn.o_proj.weight", {8, 8}},
               {"model.layers.1.mlp.gate_proj.weight", {12, 8}},
               {"model.layers.1.mlp.gate_proj.bias", {12}},
               {"model.layers.1.mlp.up_proj.weight", {12, 8}},
               {"model.layers.1.mlp.up_proj.bias", {12}},
               {"model.layers.1.mlp.down_proj.weight", {8, 12}},
               {"model.layers.1.mlp.down_proj.bias", {8}},
               {"model.layers.1.input_layernorm.weight", {8}},
               {"model.layers.1.post_attention_layernorm.weight", {8}},
               {"model.norm.weight", {8}}},
    .logits = {
        0.0053313402681688, -0.46274112767112, 1.4579598029327,    2.2150308369021,   -2.4585431529682,
        -1.0963373312591,   -0.99787779181736, -0.48454798931555,  -0.37077867241057, 0.63705262231144,
        -0.095525200827577, 1.597024099127,    0.70588968067672,   0.47285784925626,  1.4790730317579,
        -1.9909541849871,   -1.3195520075765,  -0.082024696385454, -0.42456523977981, 0.17218198757295,
        0.72997994965437,   0.10563976321308,  -0.47455926290172,  -0.53287252424935, -0.43310005947115,
        -0.38838601553507,  -0.69990398749657, -0.69827631126524,  -0.37158997022372, 0.6057842867646,
        -0.45184753548798,  1.8163529441083,   -0.43754672885373,  0.6928209768382,   0.75865908870345,
        -0.80030176444527,  0.15829584199814,  -1.9671490787739,   -1.8692678245473,  -0.32915262023395,
        0.46040683155808,   -0.5789452677202,  2.4370326580643,    0.095393176362169, -0.64288223089194,
        -0.25478504440059,  -0.47329022489397, 0.1246590955427,    -1.8124227271226,  -1.4204153871022,
        -1.374728879229,    -0.30159173777518, -1.0945018523016,   1.9198579480878,   0.93293185323722,
        0.30928849538166,   0.15522607697292,  -0.40006044501319,  0.052843468221886, -1.1616460633959,
        -1.5228512907756,   0.5717072290589,   0.45524260500351,   0.12455933729783,  2.2258311367454,
        0.15826571441232}};

inline const TheirModel gemma{
    .config =
        R"j({"transformers_version": "5.23.0", "vocab_size": 11, "hidden_size": 8, "intermediate_size": 12, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 6, "hidden_act": "gelu_pytorch_tanh", "max_position_embeddings": 16, "initializer_range": 0.02, "rms_norm_eps": 1e-06, "use_cache": true, "pad_token_id": 0, "eos_token_id": 2, "bos_token_id": 1, "tie_word_embeddings": true, "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"}, "attention_bias": false, "attention_dropout": 0.0, "use_bidirectional_attention": null, "model_type": "gemma"})j",
    .shapes = {{"model.embed_tokens.weight", {11, 8}},
               {"model.layers.0.self_attn.q_proj.weight", {24, 8}},
               {"model.layers.0.self_attn.k_proj.weight", {12, 8}},
               {"model.layers.0.self_attn.v_proj.weight", {12, 8}},
               {"model.layers.0.self_attn.o_proj.weight", {8, 24}},
               {"model.layers.0.mlp.gate_proj.weight", {12, 8}},
               {"model.layers.0.mlp.up_proj.weight", {12, 8}},
               {"model.layers.0.mlp.down_proj.weight", {8, 12}},
               {"model.layers.0.input_layernorm.weight", {8}},
               {"model.layers.0.post_attention_layernorm.weight", {8}},
               {"model.layers.1.self_attn.q_proj.weight", {24, 8}},
               {"model.layers.1.self_attn.k_proj.weight", {12, 8}},
               {"model.layers.1.self_attn.v_proj.weight", {12, 8}},
               {"model.layers.1.self_attn.o_proj.weight", {8, 24}},
               {"model.layers.1.mlp.gate_proj.weight", {12, 8}},
               {"model.layers.1.mlp.up_proj.weight", {12, 8}},
               {"model.layers.1.mlp.down_proj.weight", {8, 12}},
               {"model.layers.1.input_layernorm.weight", {8}},
               {"model.layers.1.post_attention_layernorm.weight", {8}},
               {"model.norm.weight", {8}}},
    .logits = {0.2988410494979,  -0.90775142311249, 2.1573833728785,   2.9020545543153,    -4.0692486356876,
               -1.6720360868697, -2.5505227960998,  -0.85729007645838, 0.82106646810033,   -1.4528524511769,
               0.36791407130401, -1.1060253079548,  -2.1982675723151,  1.3818649309548,    0.73645200388568,
               -2.7190021920914, -0.6850558257312,  -3.9192575610997,  -0.046882487404358, 0.89501262376514,
               -1.6053847585448, 1.5110427227143,   -0.96335612237024, 1.3133124541615,    -4.1464940850044,
               -4.4740600606071, 1.7401284761793,   -0.29585217702017, 0.39866574912911,   2.8820796961578,
               -1.2521411206468, 2.7129518578279,   -1.5158405256752,  0.64686733401471,   0.95500495980106,
               -1.1465209730937, -1.066976160636,   0.35794810393924,  0.93040188205488,   -2.4971683355632,
               0.81790797503042, -2.8242177632041,  2.5401595939578,   1.9473420533649,    0.9149349612141,
               1.1857041532476,  0.1640873680574,   2.5566681668125,   -4.7251349174117,   -3.0226496481596,
               -2.3934259613686, -1.2327102410875,  -2.5230636122648,  3.4830480670325,    1.8216620687496,
               0.452416185295,   -1.2320778878355,  2.2735302234576,   2.8105288219478,    -4.3302606146202,
               -3.4236187490092, 0.051434860001813, 0.24316223576149,  2.2733675264875,    1.9739529806998,
               1.4779626637614}};

inline const TheirModel gpt2{
    .config =
        R"j({"transformers_version": "5.23.0", "vocab_size": 11, "n_positions": 16, "n_embd": 8, "n_layer": 2, "n_head": 2, "n_inner": null, "activation_function": "gelu_new", "resid_pdrop": 0.1, "embd_pdrop": 0.1, "attn_pdrop": 0.1, "layer_norm_epsilon": 1e-05, "initializer_range": 0.02, "summary_type": "cls_index", "summary_use_proj": true, "summary_activation": null, "summary_proj_to_labels": true, "summary_first_dropout": 0.1, "scale_attn_weights": true, "use_cache": true, "bos_token_id": 10, "eos_token_id": 10, "pad_token_id": null, "scale_attn_by_inverse_layer_idx": false, "reorder_and_upcast_attn": false, "add_cross_attention": false, "tie_word_embeddings": true, "model_type": "gpt2"})j",
    .shapes = {{"transformer.wte.weight", {11, 8}},
               {"transformer.wpe.weight", {16, 8}},
               {"transformer.h.0.ln_1.weight", {8}},
               {"transformer.h.0.ln_1.bias", {8}},
               {"transformer.h.0.attn.c_attn.weight", {8, 24}},
               {"transformer.h.0.attn.c_attn.bias", {24}},
               {"transformer.h.0.attn.c_proj.weight", {8, 8}},
               {"transformer.h.0.attn.c_proj.bias", {8}},
               {"transformer.h.0.ln_2.weight", {8}},
               {"transformer.h.0.ln_2.bias", {8}},
               {"transformer.h.0.mlp.c_fc.weight", {8, 32}},
               {"transformer.h.0.mlp.c_fc.bias", {32}},
               {"transformer.h.0.mlp.c_proj.weight", {32, 8}},
               {"transformer.h.0.mlp.c_proj.bias", {8}},
               {"transformer.h.1.ln_1.weight", {8}},
               {"transformer.h.1.ln_1.bias", {8}},
               {"transformer.h.1.attn.c_attn.weight", {8, 24}},
               {"transformer.h.1.attn.c_attn.bias", {24}},
               {"transformer.h.1.attn.c_proj.weight", {8, 8}},
               {"transformer.h.1.attn.c_proj.bias", {8}},
               {"transformer.h.1.ln_2.weight", {8}},
               {"transformer.h.1.ln_2.bias", {8}},
               {"transformer.h.1.mlp.c_fc.weight", {8, 32}},
               {"transformer.h.1.mlp.c_fc.bias", {32}},
               {"transformer.h.1.mlp.c_proj.weight", {32, 8}},
               {"transformer.h.1.mlp.c_proj.bias", {8}},
               {"transformer.ln_f.weight", {8}},
               {"transformer.ln_f.bias", {8}}},
    .logits = {-0.041583638891218, 0.086526672592688,    -0.099052870597511,  -0.050574487859646,
               0.012497251174795,  0.010655455761896,    0.0010826861488611,  0.10768408646088,
               -0.096910661246936, 0.07360330642043,     -0.039464555809509,  0.036607987823353,
               0.085384475282437,  -0.059058830588575,   -0.0047415134551754, -0.032141535204157,
               -0.021381018821865, 0.029722825380618,    0.056713755248933,   0.036894991346085,
               0.087956639006503,  0.037410992734577,    -0.077153505650577,  0.033661533333987,
               -0.064688847335378, -0.041930310373942,   0.017350949780765,   0.025794355563936,
               0.014165968760532,  0.11192963356315,     -0.088180962973458,  0.011054931842961,
               -0.073172450809419, -0.067029181479462,   -0.0033859814423435, -0.0047507193055417,
               -0.024958316169708, 0.061701222875154,    0.026164436827686,   0.045427518014798,
               0.090044602485482,  -0.14181080546137,    -0.0030746268630898, -0.049504085917388,
               -0.032163281830983, 0.058641788621347,    -0.054027281570993,  -0.061382551249815,
               0.085949780798827,  -0.00024579866679211, 0.09060202382406,    0.032991326087002,
               -0.043392215809425, 0.084805055536421,    -0.091671615230438,  -0.017880262205163,
               0.087336820866842,  -0.08747060607976,    -0.03148282109781,   -0.011983176176537,
               0.0014257544018218, 0.0085230740759276,   0.079447094199294,   -0.017626226810501,
               0.081087885555926,  -0.026370954741914}};

inline const char* const gpt2_vocabulary =
    R"j({"!": 0, "\"": 1, "#": 2, "$": 3, "%": 4, "&": 5, "'": 6, "(": 7, ")": 8, "*": 9, "+": 10, ",": 11, "-": 12, ".": 13, "/": 14, "0": 15, "1": 16, "2": 17, "3": 18, "4": 19, "5": 20, "6": 21, "7": 22, "8": 23, "9": 24, ":": 25, ";": 26, "<": 27, "=": 28, ">": 29, "?": 30, "@": 31, "A": 32, "B": 33, "C": 34, "D": 35, "E": 36, "F": 37, "G": 38, "H": 39, "I": 40, "J": 41, "K": 42, "L": 43, "M": 44, "N": 45, "O": 46, "P": 47, "Q": 48, "R": 49, "S": 50, "T": 51, "U": 52, "V": 53, "W": 54, "X": 55, "Y": 56, "Z": 57, "[": 58, "\\": 59, "]": 60, "^": 61, "_": 62, "`": 63, "a": 64, "b": 65, "c": 66, "d": 67, "e": 68, "f": 69, "g": 70, "h": 71, "i": 72, "j": 73, "k": 74, "l": 75, "m": 76, "n": 77, "o": 78, "p": 79, "q": 80, "r": 81, "s": 82, "t": 83, "u": 84, "v": 85, "w": 86, "x": 87, "y": 88, "z": 89, "{": 90, "|": 91, "}": 92, "~": 93, "¡": 94, "¢": 95, "£": 96, "¤": 97, "¥": 98, "¦": 99, "§": 100, "¨": 101, "©": 102, "ª": 103, "«": 104, "¬": 105, "®": 106, "¯": 107, "°": 108, "±": 109, "²": 110, "³": 111, "´": 112, "µ": 113, "¶": 114, "·": 115, "¸": 116, "¹": 117, "º": 118, "»": 119, "¼": 120, "½": 121, "¾": 122, "¿": 123, "À": 124, "Á": 125, "Â": 126, "Ã": 127, "Ä": 128, "Å": 129, "Æ": 130, "Ç": 131, "È": 132, "É": 133, "Ê": 134, "Ë": 135, "Ì": 136, "Í": 137, "Î": 138, "Ï": 139, "Ð": 140, "Ñ": 141, "Ò": 142, "Ó": 143, "Ô": 144, "Õ": 145, "Ö": 146, "×": 147, "Ø": 148, "Ù": 149, "Ú": 150, "Û": 151, "Ü": 152, "Ý": 153, "Þ": 154, "ß": 155, "à": 156, "á": 157, "â": 158, "ã": 159, "ä": 160, "å": 161, "æ": 162, "ç": 163, "è": 164, "é": 165, "ê": 166, "ë": 167, "ì": 168, "í": 169, "î": 170, "ï": 171, "ð": 172, "ñ": 173, "ò": 174, "ó": 175, "ô": 176, "õ": 177, "ö": 178, "÷": 179, "ø": 180, "ù": 181, "ú": 182, "û": 183, "ü": 184, "ý": 185, "þ": 186, "ÿ": 187, "Ā": 188, "ā": 189, "Ă": 190, "ă": 191, "Ą": 192, "ą": 193, "Ć": 194, "ć": 195, "Ĉ": 196, "ĉ": 197, "Ċ": 198, "ċ": 199, "Č": 200, "č": 201, "Ď": 202, "ď": 203, "Đ": 204, "đ": 205, "Ē": 206, "ē": 207, "Ĕ": 208, "ĕ": 209, "Ė": 210, "ė": 211, "Ę": 212, "ę": 213, "Ě": 214, "ě": 215, "Ĝ": 216, "ĝ": 217, "Ğ": 218, "ğ": 219, "Ġ": 220, "ġ": 221, "Ģ": 222, "ģ": 223, "Ĥ": 224, "ĥ": 225, "Ħ": 226, "ħ": 227, "Ĩ": 228, "ĩ": 229, "Ī": 230, "ī": 231, "Ĭ": 232, "ĭ": 233, "Į": 234, "į": 235, "İ": 236, "ı": 237, "Ĳ": 238, "ĳ": 239, "Ĵ": 240, "ĵ": 241, "Ķ": 242, "ķ": 243, "ĸ": 244, "Ĺ": 245, "ĺ": 246, "Ļ": 247, "ļ": 248, "Ľ": 249, "ľ": 250, "Ŀ": 251, "ŀ": 252, "Ł": 253, "ł": 254, "Ń": 255, "he": 256, "the": 257, "an": 258, "Ġi": 259, "Ġs": 260, "..": 261, "at": 262, "man": 263, "re": 264, "Ã¤": 265, "ãĤ": 266, "ãĥ": 267, "Ġ1": 268, "Ġo": 269, "ĠÂ": 270, "Ġthe": 271, "Ġis": 272, "'d": 273, "'l": 274, "'m": 275, "'s": 276, "'t": 277, "'v": 278, "23": 279, "Ei": 280, "MÃ¤": 281, "St": 282, "The": 283, "We": 284, "ab": 285, "ai": 286, "aÃ": 287, "be": 288, "che": 289, "cat": 290, "di": 291, "dche": 292, "ee": 293, "ft": 294, "go": 295, "hat": 296, "lÃ¤": 297, "ou": 298, "oman": 299, "raÃ": 300, "tab": 301, "ure": 302, "uft": 303, "woman": 304, "you": 305, "¥æ": 306, "ªŀ": 307, "¬è": 308, "®ãĥ": 309, "±Î": 310, "²Î": 311, "¹ãĥ": 312, "¼be": 313, "Ã¼be": 314, "Î±Î": 315, "ãģ": 316, "æĹ": 317, "ĊĊ": 318, "ĠI": 319, "ĠĊ": 320, "ĠĠ": 321, "Ġhe": 322, "Ġan": 323, "Ġ..": 324, "Ġman": 325, "Ġ23": 326, "ĠMÃ¤": 327, "ĠSt": 328, "Ġcat": 329})j";
inline const char* const gpt2_merges = R"j(#version: 0.2
h e
t he
a n
Ġ i
Ġ s
. .
a t
m an
r e
Ã ¤
ã Ĥ
ã ĥ
Ġ 1
Ġ o
Ġ Â
Ġ the
Ġi s
' d
' l
' m
' s
' t
' v
2 3
E i
M Ã¤
S t
T he
W e
a b
a i
a Ã
b e
c he
c at
d i
d che
e e
f t
g o
h at
l Ã¤
o u
o man
r aÃ
t ab
u re
u ft
w oman
y ou
¥ æ
ª ŀ
¬ è
® ãĥ
± Î
² Î
¹ ãĥ
¼ be
Ã ¼be
Î ±Î
ã ģ
æ Ĺ
Ċ Ċ
Ġ I
Ġ Ċ
Ġ Ġ
Ġ he
Ġ an
Ġ ..
Ġ man
Ġ 23
Ġ MÃ¤
Ġ St
Ġ cat
)j";
inline const std::vector<std::pair<std::string, std::vector<std::int32_t>>> gpt2_ids{
    {"The cat's hat isn't here, is it?",
     {283, 329, 276, 220, 296, 272, 77, 277, 322, 264, 11, 272, 259, 83, 30}},
    {"We'll see 12 of them, or 1 234.",
     {284, 274, 75, 260, 293, 268, 17, 269, 69, 271, 76, 11, 269, 81, 268, 326, 19, 13}},
    {"Ein Mädchen läuft über die Straße.",
     {280, 77, 327, 292, 77, 220, 297, 303, 220, 314, 81, 220, 291, 68, 328, 300, 253, 68, 13}},
    {"the man  and\n\n the   woman ...", {257, 325, 220, 323, 67, 318, 271, 321, 220, 304, 324, 13}},
    {"they've said: I'm sure you'd go!",
     {257, 88, 278, 68, 260, 286, 67, 25, 319, 275, 260, 302, 220, 305, 273, 220, 295, 0}},
    {"日本語のテキスト, αβγ, ½ ²", {317, 306, 250, 308, 307, 316, 309, 228, 266, 255, 266, 312,
                                    230, 11,  220, 315, 311, 111, 11,  270, 121, 270, 110}},
    {"\ttabs \n", {197, 301, 82, 320}},
    {"", {}},
    {" ", {220}},
    {"  x", {220, 220, 87}},
    {"a b　c", {64, 126, 254, 65, 159, 222, 222, 66}},
    {"don't DON'T 'tis 've", {67, 78, 77, 277, 220, 35, 46, 45, 6, 51, 220, 6, 83, 72, 82, 220, 6, 85, 68}},
    {"x²y³ Ⅷ", {87, 126, 110, 88, 126, 111, 220, 158, 227, 100}},
    {"🙂🙂 naïve", {172, 253, 247, 224, 172, 253, 247, 224, 220, 77, 287, 107, 85, 68}},
    {"a\r\n\r\nb  \n  c ", {64, 201, 198, 201, 198, 65, 220, 320, 220, 220, 66, 220}},
};

}  // namespace transformer::test
