#include "transformer/config/validate.h"

#include "tests/catch.h"
#include "transformer/base/error.h"
#include "transformer/config/yaml.h"

using namespace transformer;
using namespace transformer::config;

TEST_CASE("the defaults go together") {
  CHECK_FALSE(find_problem({}));
}

TEST_CASE("values that do not go together are refused at the one that was set last") {
  const auto refusal = [](const std::string& text, const std::vector<std::string>& overrides = {}) {
    try {
      parse_experiment(text, "c.yaml", overrides);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK(refusal("decode:\n  nbest: 5\n") ==
        "c.yaml:2: key 'decode.nbest': expected at most decode.beam (4), found '5'");
  CHECK(refusal("decode: {nbest: 4}", {"decode.beam=2"}) ==
        "--set decode.beam=2: key 'decode.nbest': expected at most decode.beam (2), found '4'");
  CHECK(refusal("model: {d_model: 33}") ==
        "c.yaml:1: key 'model.d_model': expected an even number for sinusoidal positions, found '33'");
  CHECK(refusal("model: {d_model: 33, positions: learned}") == "accepted");
  const std::string embedded = "model: {kind: encoder, head: classes, embedding_size: 33, d_model: 34";
  CHECK(refusal(embedded + "}") ==
        "c.yaml:1: key 'model.embedding_size': expected an even number for sinusoidal positions, found '33'");
  CHECK(refusal(embedded + ", positions: every_layer}") == "accepted");
  CHECK(
      refusal("model: {kind: encoder, embedding_size: 32}") ==
      "c.yaml:1: key 'model.output_transform': expected true for masked tokens where model.embedding_size is "
      "not 0, found 'false'");
  CHECK(refusal("model: {d_model: 2}") == "accepted");
  CHECK_THAT(refusal("model: {d_model: 2, positions: tensor2tensor}"), ContainsSubstring("at least 4"));
  CHECK_THAT(refusal("model: {positions: learned, max_positions: 256}"), ContainsSubstring("at least 257"));
  const std::string wide = "model: {d_model: 1000000, d_ff: 1000000, ";
  CHECK(refusal(wide + "heads: 8}") == "accepted");
  CHECK_THAT(
      refusal(wide + "heads: 1000000, d_k: 1000000, d_v: 1000000}"),
      ContainsSubstring("c.yaml:1: key 'model.d_model': expected layers of at most 1e+15 weights together, "
                        "found about 7.2e+19 (1000000 heads"));
  CHECK_THAT(refusal("data: {shared_vocabulary: false}"),
             ContainsSubstring("c.yaml:1: key 'model.tie': expected target or none"));
  CHECK(refusal("data: {shared_vocabulary: false}\nmodel: {tie: target}") == "accepted");
  CHECK_THAT(refusal("data: {source: de}"), ContainsSubstring("another ending than data.source"));
  CHECK_THAT(refusal("data: {max_ratio: 0.5}"), ContainsSubstring("0 or a number from 1"));
  CHECK(refusal("data: {max_ratio: 0}") == "accepted");
  CHECK_THAT(refusal("train: {warmup: 0}"), ContainsSubstring("key 'train.warmup'"));
  CHECK(refusal("train: {warmup: 0, schedule: constant}") == "accepted");
  CHECK(refusal("train: {warmup: 0, schedule: cosine}") == "accepted");
  CHECK(
      refusal("train: {schedule: linear, steps: 4000}") ==
      "c.yaml:1: key 'train.warmup': expected less than train.steps (4000) where train.schedule is cosine or "
      "linear, found '4000'");
  CHECK(refusal("train: {schedule: linear, epochs: 3}") == "accepted");  // their steps are not known here
  CHECK(refusal("train: {schedule: linear, factor: 5e-4, floor: 5e-4}") == "accepted");
  CHECK(refusal("train: {schedule: cosine, factor: 5e-4, floor: 6e-4}") ==
        "c.yaml:1: key 'train.floor': expected at most train.factor (0.0005), found '0.0006'");
  CHECK(refusal("train: {floor: 1e-5}") ==
        "c.yaml:1: key 'train.floor': expected 0 unless train.schedule is cosine or linear, found '1e-05'");
  CHECK(refusal("train: {optimizer: sgd, beta2: 0.9}") ==
        "c.yaml:1: key 'train.beta2': expected nothing where train.optimizer is sgd, found '0.9'");
  CHECK(refusal("train: {momentum: 0.5}") ==
        "c.yaml:1: key 'train.momentum': expected nothing where train.optimizer is adamw, found '0.5'");
  CHECK(refusal("train: {optimizer: muon, momentum: 0.95}") ==
        "c.yaml:1: key 'train.momentum': expected nothing where train.optimizer is muon, found '0.95'");
  CHECK_THAT(refusal("train: {best: bleu}"), ContainsSubstring("key 'train.metric_every'"));
  CHECK(refusal("train: {best: bleu, bleu_every: 11, steps: 10}") ==
        "c.yaml:1: key 'train.metric_every': expected a whole number from 1 to train.steps (10) where "
        "train.best is metric, found '11'");
  CHECK(refusal("train: {best: bleu, bleu_every: 10, steps: 10}") == "accepted");
  CHECK(refusal("train: {best: bleu, bleu_every: 500000, epochs: 300}") == "accepted");
  CHECK(refusal("train: {clip_sum: true}") ==
        "c.yaml:1: key 'train.clip': expected more than 0 where train.clip_sum is true, found '0'");
  CHECK(refusal("train: {clip_sum: true, clip: 1}") == "accepted");
  CHECK(refusal("data: {bpe_dropout: 0.1}\ntrain: {epochs: 3}") ==
        "c.yaml:2: key 'data.bpe_dropout': expected 0 where train.epochs says how long a training is, since "
        "epochs of drawn subwords differ in length, found '0.1'");
  CHECK(refusal("data: {min_frequency: 3}") ==
        "c.yaml:1: key 'data.min_frequency': expected 1 where data.tokenizer_kind is bpe, found '3'");
  CHECK(refusal("data: {min_frequency: 3, tokenizer_kind: words}") == "accepted");
  for (const auto* other : {"byte_fallback: true", "bpe_dropout: 0.1", "tokenizer: some.model"})
    CHECK_THAT(refusal(std::string("data: {tokenizer_kind: words, ") + other + "}"),
               ContainsSubstring("where data.tokenizer_kind is words, found '"));
  CHECK(refusal("model: {feed_forward: glu, activation: gelu}") ==
        "c.yaml:1: key 'model.activation': expected nothing where model.feed_forward is glu, found 'gelu'");
  CHECK(refusal("model: {feed_forward: none, activation_dropout: 0.1}") ==
        "c.yaml:1: key 'model.activation_dropout': expected 0 where model.feed_forward is none, found '0.1'");
  CHECK(refusal("model: {feed_forward: swiglu, activation_dropout: 0.1}") == "accepted");
  CHECK(refusal("model: {norm_type: none, norm_epsilon: 1e-6}") ==
        "c.yaml:1: key 'model.norm_epsilon': expected nothing where model.norm_type is none, found '1e-06'");
  CHECK_THAT(refusal("model: {d_model: 511, positions: every_layer}"), ContainsSubstring("even number"));
  CHECK(refusal("model: {kv_heads: 3}") ==
        "c.yaml:1: key 'model.kv_heads': expected 0 or a divisor of model.heads (8), found '3'");
  CHECK(refusal("model: {kv_heads: 4}") == "accepted");
  CHECK(refusal("model: {attention_score: additive, attention_scale: false}") ==
        "c.yaml:1: key 'model.attention_scale': expected nothing where model.attention_score is additive, "
        "found "
        "'false'");
  CHECK(refusal("model: {attention_score: additive, positions: rotary}") ==
        "c.yaml:1: key 'model.positions': expected positions that are no part of products where "
        "model.attention_score is additive, found 'rotary'");
  CHECK(refusal("model: {attention_score: additive, positions: alibi}") == "accepted");
}
