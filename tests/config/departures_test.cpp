#include "transformer/config/departures.h"

#include <algorithm>

#include "tests/catch.h"
#include "transformer/config/yaml.h"

using namespace transformer::config;

namespace {

using List = std::vector<std::string>;

List of(const std::vector<std::string>& overrides) {
  return departures(parse_experiment("seed: 1\n", "test.yaml", overrides));
}

}  // namespace

TEST_CASE("the defaults are the paper's") {
  CHECK(departures({}).empty());
  const Experiment e;
  CHECK(std::vector{e.model.encoder_layers, e.model.decoder_layers, e.model.d_model, e.model.d_ff,
                    e.model.heads, e.model.d_k,
                    e.model.d_v} == std::vector<std::int64_t>{6, 6, 512, 2048, 8, 64, 64});
  CHECK(std::vector{e.model.dropout, e.train.label_smoothing, e.train.factor, e.train.beta1, e.train.beta2,
                    e.train.epsilon, e.decode.alpha} == std::vector{0.1, 0.1, 1.0, 0.9, 0.98, 1e-9, 0.6});
  CHECK(std::vector{e.data.vocabulary, e.data.max_tokens, e.train.steps, e.train.warmup,
                    e.train.source_tokens, e.train.target_tokens, e.decode.beam, e.decode.length_offset} ==
        std::vector<std::int64_t>{37000, 256, 100000, 4000, 25000, 25000, 4, 50});
}

TEST_CASE("variations of Table 3 are called by their name") {
  CHECK(of({"model.heads=1", "model.d_k=512", "model.d_v=512"}) ==
        List{"row A of Table 3: heads 1 instead of 8, d_k 512 instead of 64, d_v 512 instead of 64"});
  CHECK(of({"model.layers=2"}) == List{"row C of Table 3: layers 2 instead of 6"});
  CHECK(of({"model.positions=learned"}) == List{"row E of Table 3: learned positions instead of sinusoids"});
  CHECK(of({"train.label_smoothing=0"}) == List{"row D of Table 3: label smoothing 0 instead of 0.1"});
}

TEST_CASE("the big model trains for 300000 steps") {
  const std::vector<std::string> big{"model.d_model=1024", "model.d_ff=4096", "model.heads=16",
                                     "model.dropout=0.3"};
  auto found = of(big);
  REQUIRE(found.size() == 2);
  CHECK_THAT(found[0], ContainsSubstring("the big model of Table 3: d_model 1024 instead of 512"));
  CHECK(found[1] == "steps 100000 instead of 300000 (expected: lower BLEU)");
}

TEST_CASE("what Table 3 does not have is listed piece by piece") {
  CHECK(of({"model.heads=4", "model.encoder_layers=3"}) ==
        List{"encoder layers 3 instead of 6", "heads 4 instead of 8",
             "heads · d_k is 256, heads · d_v 256 and d_model 512; the paper's are equal, except in rows B"});
  CHECK(of({"model.heads=4", "model.d_model=256"}) ==
        List{"d_model 256 instead of 512", "heads 4 instead of 8"});
}

TEST_CASE("a given model of subwords has a normalisation of its own") {
  CHECK(of({"data.tokenizer=m.model", "data.normalization=nmt_nfkc_cf", "data.byte_fallback=true"}) ==
        of({"data.tokenizer=m.model"}));
}

TEST_CASE("a search among trees alone is a departure") {
  const auto found = of(
      {"data.examples=trees", "data.shared_vocabulary=false", "model.tie=target", "decode.whole_trees=true"});
  CHECK(
      std::ranges::find(found, "the search is bound to trees of the sentence's words; the paper's is free") !=
      found.end());
}

TEST_CASE("a head that is guided is a departure") {
  CHECK(of({"data.links=links", "train.guided_alignment=0.05"}) ==
        List{"head 1 of the decoder's layer 5 learns which words translate which by its attention (weight "
             "0.05); the paper's learn freely"});
  CHECK(
      of({"data.links=links", "train.guided_alignment=0.05", "train.guided_step=reads"}) ==
      List{"head 1 of the decoder's layer 5 learns which words translate which by its attention at the step "
           "that reads a word (weight 0.05); the paper's learn freely"});
  CHECK(of({"data.links=links", "train.guided_alignment=0.05", "train.guided_null=true"}) ==
        List{"head 1 of the decoder's layer 5 learns which words translate which, and which none, by its "
             "attention (weight 0.05); the paper's learn freely"});
}

TEST_CASE("each setting of the regime is compared") {
  const List settings{"model.norm=pre",
                      "model.attention_bias=true",
                      "model.output_bias=true",
                      "model.positions=halves",
                      "model.tie=target",
                      "model.tie=none",
                      "model.activation=gelu",
                      "model.attention_dropout=0.1",
                      "model.activation_dropout=0.1",
                      "model.norm_epsilon=1e-3",
                      "data.vocabulary=8000",
                      "data.normalization=nfkc_cf",
                      "data.byte_fallback=true",
                      "data.tokenizer=other.model",
                      "data.max_tokens=100",
                      "data.max_ratio=3",
                      "data.bpe_dropout=0.1",
                      "data.target=fi",
                      "data.pairs=1000",
                      "data.tokenizer_kind=words",
                      "data.normalization=lower_punctuation",
                      "data.longer=cut",
                      "distributed.gradients=bf16",
                      "train.steps=5",
                      "train.epochs=5",
                      "train.sentences=64",
                      "train.r_drop=5",
                      "train.source_tokens=5",
                      "train.target_tokens=5",
                      "train.schedule=constant",
                      "train.warmup=5",
                      "train.factor=2",
                      "train.beta1=0.5",
                      "train.beta2=0.997",
                      "train.epsilon=1e-8",
                      "train.schedule=cosine",
                      "train.schedule=linear",
                      "train.weight_decay=0.01",
                      "train.optimizer=sgd",
                      "train.clip=1",
                      "train.groups=*norm* rate=0.5",
                      "train.patience=5",
                      "decode.beam=5",
                      "decode.candidates=beam",
                      "decode.alpha=1",
                      "decode.length_penalty=length",
                      "decode.length_offset=5",
                      "model.positions=tensor2tensor"};
  for (const auto& setting : settings) {
    CAPTURE(setting);
    CHECK(of({setting}).size() == 1);
  }
  CHECK(of({"train.beta2=0.997"}) ==
        List{"Adam's beta2 0.997 instead of 0.98 (expected: about the same BLEU)"});
  CHECK(of({"model.rotary_base=500"}).empty());
  CHECK(of({"model.positions=rotary", "model.rotary_base=500"}).size() ==
        of({"model.positions=rotary"}).size() + 1);
  CHECK(of({"model.activation=gelu"}) == List{"activation gelu instead of relu"});
  CHECK(of({"train.source_tokens=50000"}) ==
        List{"source tokens an update 50000 instead of 25000 (expected: higher BLEU after as many steps)"});
  CHECK(of({"train.weight_decay=0.01"}) == List{"weight decay 0.01 (AdamW); the paper has none"});
  CHECK(of({"train.optimizer=adam"}).empty());  // without a decay both are the paper's
  CHECK(of({"train.weight_decay=0.01", "train.optimizer=adam"}) ==
        List{"weight decay 0.01 (in the gradient); the paper has none"});
  CHECK(of({"train.groups=*norm* rate=0.5 weight_decay=0.1,*.bias weight_decay=0"}) ==
        List{"parameters named *norm*: 0.5 times the learning rate, weight decay 0.1; the paper treats all "
             "alike"});
  CHECK(of({"train.optimizer=sgd", "train.momentum=0.8"}) ==
        List{"the optimiser sgd with momentum 0.8 instead of Adam"});
  CHECK(of({"train.optimizer=muon", "train.beta2=0.99"}) ==
        List{"the optimiser muon with beta1 0.9, beta2 0.99, epsilon 1.0e-09, muon_momentum 0.95 instead of "
             "Adam"});
  CHECK_THAT(of({"decode.candidates=beam"})[0], ContainsSubstring("tensor2tensor"));
  CHECK(of({"decode.candidates=beam", "decode.beam=1"}) ==
        List{"beam 1 instead of 4 (expected: lower BLEU)"});  // greedy search either way
  CHECK(of({"model.norm_epsilon=1e-6"}).empty());
  CHECK(of({"model.attention_window=8"}) == List{"self-attention reaches 8 positions to each side and no "
                                                 "farther (in section 4 r = 17, which counts both "
                                                 "sides and the position itself); the paper's models reach "
                                                 "all (expected: about the same BLEU of short "
                                                 "sentences)"});
  const std::string pieces =
      "byte pairs; the paper has word pieces for English to French (expected: about the same BLEU)";
  CHECK(of({"data.target=fr", "data.vocabulary=32000"}) == List{pieces});
  // Another kind of pieces is a departure of its own.
  for (const auto* other : {"data.tokenizer_kind=words", "data.tokenizer=a.model", "data.target=de"})
    CHECK(std::ranges::count(of({"data.target=fr", "data.vocabulary=32000", other}), pieces) == 0);
}
