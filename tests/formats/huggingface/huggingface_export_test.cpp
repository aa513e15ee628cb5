#include "transformer/formats/huggingface/huggingface_export.h"

#include <fmt/format.h>

#include "tests/catch.h"
#include "tests/formats/huggingface/their_folder.h"
#include "tests/nn/checks.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/data/scored_pieces.h"
#include "transformer/formats/huggingface/huggingface_import.h"
#include "transformer/formats/json_file.h"
#include "transformer/formats/proof.h"
#include "transformer/models/kinds.h"

using namespace transformer;

namespace {

/// A decoder with Llama's structure, of random weights, with pieces for bytes.
models::ModelOptions llama_options() {
  return {.kind = {models::kDecoder, {}},
          .decoder_layers = 2,
          .d_model = 8,
          .d_ff = 12,
          .heads = 4,
          .d_k = 6,
          .d_v = 6,
          .positions = nn::Positions::rotary,
          .norm = nn::NormPlacement::pre,
          .norm_type = nn::NormKind::rms,
          .feed_forward = nn::FeedForwardKind::swiglu,
          .kv_heads = 2,
          .tie = nn::Tie::none,
          .scale_embedding = false,
          .rotary_base = 700};
}

models::ModelOptions gpt2_options() {
  auto o = llama_options();
  o.d_k = o.d_v = 2;
  o.kv_heads = 0;
  o.positions = nn::Positions::learned;
  o.max_positions = 16;
  o.norm_type = nn::NormKind::layer;
  o.feed_forward = nn::FeedForwardKind::positionwise;
  o.activation = nn::Activation::gelu_tanh;
  o.tie = nn::Tie::all;
  return o;
}

checkpoints::LoadedModel model_of(const models::ModelOptions& options) {
  std::vector<data::ScoredPiece> pieces;
  for (int byte = 0; byte < 256; ++byte) pieces.push_back({fmt::format("<0x{:02X}>", byte)});
  for (const auto* text : {"a", "b", "ab"}) pieces.push_back({text, -static_cast<float>(pieces.size())});
  checkpoints::LoadedModel loaded;
  loaded.tokenizers.target = std::make_shared<data::Tokenizer>(
      data::Tokenizer::of_content(data::byte_pair_model(pieces), "tokenizer.model"));
  loaded.tokenizers.source = loaded.tokenizers.target;
  loaded.experiment.model = options;
  loaded.experiment.data.examples = data::ExampleKind::documents;
  loaded.experiment.data.max_tokens = 12;
  torch::manual_seed(3);
  loaded.model = models::make(options, loaded.tokenizers.sizes());
  const torch::NoGradGuard none;
  for (auto& parameter : loaded.model->parameters()) parameter.add_(0.3 * torch::randn_like(parameter));
  loaded.model->eval();
  return loaded;
}

const formats::Sample kSample{.origin = "a few",
                              .sentences = {{260, 261, 70, 80, 90, 100, 262, 260}, {262, 262}, {100}},
                              .texts = {"", "", ""}};

std::string refusal(const models::ModelOptions& options) {
  const test::TemporaryFolder folder;
  try {
    formats::write_huggingface(model_of(options), folder.path());
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("decoders go to transformers' folders and come back with the same logits") {
  for (auto options : {llama_options(), gpt2_options()}) {
    for (const bool stream : {false, true}) {
      auto loaded = model_of(options);
      if (stream) loaded.experiment.data.block = 16;
      const test::TemporaryFolder folder;
      formats::write_huggingface(loaded, folder.path());
      auto sample = kSample;
      sample.texts[1] = "aab";
      sample.sentences[1] = loaded.tokenizers.target->encode("aab");
      sample.begin = stream ? kEos : kBos;
      const auto proof = formats::prove(loaded.model, formats::read_huggingface(folder.path(), torch::kCPU),
                                        sample, {}, formats::kRounding32);
      INFO(proof.table());
      CHECK(proof.holds());
      CHECK(proof.logit_difference < 1e-5);
      CHECK(proof.largest_logit > 0.5);
      CHECK(proof.texts == 1);
      CHECK(proof.searches[0].equal == 3);
      const auto again = formats::import_huggingface(folder.path()).experiment;
      CHECK(again.data.block == (stream ? 16 : 0));
      if (nn::are_rotary(options.positions)) CHECK(again.model.rotary_base == options.rotary_base);
      CHECK(formats::read_json(folder.path() / "config.json")["architectures"][0] ==
            (options.positions == nn::Positions::rotary ? "LlamaForCausalLM" : "GPT2LMHeadModel"));
    }
  }
}

TEST_CASE("models of transformers leave as they came") {
  for (const auto* theirs : {&test::llama_tied, &test::gemma, &test::gpt2}) {
    test::TheirFolder folder(*theirs);
    folder.write("vocab.json", R"({"a": 0, "b": 1, "ab": 2})");
    folder.write("merges.txt", "a b\n");
    const auto loaded = formats::import_huggingface(folder.path());
    const test::TemporaryFolder exported;
    formats::write_huggingface(loaded, exported.path());
    auto found = checkpoints::load_safetensors(exported.path() / "model.safetensors");
    CHECK(found.size() == theirs->shapes.size());
    for (const auto& [name, shape] : theirs->shapes) {
      INFO(name);
      REQUIRE(found.contains(name));
      if (shape[0] != 11) CHECK(test::difference(found[name], test::pattern_weight(shape, name)) < 1e-6);
    }
    const auto again = formats::import_huggingface(exported.path());
    CHECK(again.tokenizers.target->encode("ab ba") == loaded.tokenizers.target->encode("ab ba"));
    CHECK(again.experiment.model == loaded.experiment.model);
  }
}

TEST_CASE("another model is noticed by the proof") {
  const auto loaded = model_of(llama_options());
  const test::TemporaryFolder folder;
  formats::write_huggingface(loaded, folder.path());
  auto other = loaded;
  torch::manual_seed(8);
  other.model = model_of(llama_options()).model;
  const torch::NoGradGuard none;
  other.model->parameters()[3].add_(0.5);
  CHECK_FALSE(formats::prove(other.model, formats::read_huggingface(folder.path(), torch::kCPU), kSample, {},
                             formats::kRounding32)
                  .holds());
}

TEST_CASE("what no class of transformers has is refused by its key") {
  const auto changed = [](models::ModelOptions options, auto&& change) {
    change(options);
    return refusal(options);
  };
  CHECK(refusal(llama_options()) == "accepted");
  CHECK(changed(llama_options(), [](auto& o) { o.norm = nn::NormPlacement::post; }) ==
        "model.norm: expected pre for LlamaForCausalLM, found post");
  CHECK(changed(llama_options(), [](auto& o) { o.scale_embedding = true; }) ==
        "model.scale_embedding: expected false for LlamaForCausalLM, found true");
  CHECK(changed(llama_options(), [](auto& o) { o.d_v = 4; }) ==
        "model.d_v: expected 6 for LlamaForCausalLM, found 4");
  CHECK(changed(llama_options(), [](auto& o) { o.qk_norm = true; }) ==
        "model.qk_norm: expected false for LlamaForCausalLM, found true");
  CHECK(changed(llama_options(), [](auto& o) { o.attention_window = 3; }) ==
        "model.attention_window: expected 0 for LlamaForCausalLM, found 3");
  CHECK(changed(llama_options(), [](auto& o) { o.output_bias = true; }) ==
        "model.output_bias: expected false for LlamaForCausalLM, found true");
  CHECK(changed(gpt2_options(), [](auto& o) { o.kv_heads = 2; }) ==
        "model.kv_heads: expected 0 for GPT2LMHeadModel, found 2");
  CHECK(changed(gpt2_options(), [](auto& o) { o.positions = nn::Positions::alibi; }) ==
        "model.positions: expected learned for GPT2LMHeadModel, found alibi");
  CHECK(changed(gpt2_options(), [](auto& o) { o.d_k = o.d_v = 4; }) ==
        "model.d_k: expected 2 for GPT2LMHeadModel, found 4");
  auto gemma = llama_options();
  gemma.feed_forward = nn::FeedForwardKind::geglu;
  gemma.scale_embedding = true;
  CHECK_THAT(refusal(gemma),
             ContainsSubstring("model.feed_forward: expected layers without biases for GemmaForCausalLM"));
  auto recurrent = model_of(llama_options());
  recurrent.experiment.model.kind.name = "recurrent";
  CHECK_THROWS_WITH(formats::check_huggingface(recurrent),
                    ContainsSubstring("model.kind: expected decoder for LlamaForCausalLM, found recurrent"));
}
