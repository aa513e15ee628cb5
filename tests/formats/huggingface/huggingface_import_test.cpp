#include "transformer/formats/huggingface/huggingface_import.h"

#include "tests/catch.h"
#include "tests/formats/huggingface/their_folder.h"
#include "tests/nn/checks.h"
#include "transformer/base/error.h"
#include "transformer/engine/text_decoder.h"
#include "transformer/translation/engine_model.h"
#include "transformer/translation/scoring.h"

using namespace transformer;
using test::json;

namespace {

/// Our logits of the text of the constants, in their order of ids.
torch::Tensor their_logits(checkpoints::LoadedModel& loaded, const std::vector<std::int64_t>& ours) {
  const translation::SearchMode mode(loaded.model);
  auto& language = models::language_model(*loaded.model);
  std::vector<std::int64_t> text;
  for (const auto id : {2, 7, 4, 9, 10, 5}) text.push_back(ours[static_cast<std::size_t>(id)]);
  return language.logits(language.states(torch::tensor(text).unsqueeze(0)))[0].index_select(
      1, torch::tensor(ours));
}

/// Our ids of their 0 … 10: with begin 1 and end 2; with padding 0 as well; with end 10.
const std::vector<std::int64_t> kTwoSpecial{4, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12};
const std::vector<std::int64_t> kGemma{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
const std::vector<std::int64_t> kGpt2{4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 3};

}  // namespace

TEST_CASE("models of transformers have their logits here, by the modules and by the engine") {
  struct Case {
    const test::TheirModel& theirs;
    const std::vector<std::int64_t>& ours;
  };
  for (const auto& [theirs, ours] : {Case{test::llama, kTwoSpecial},
                                     {test::llama_tied, kTwoSpecial},
                                     {test::gemma, kGemma},
                                     {test::gpt2, kGpt2}}) {
    const test::TheirFolder folder(theirs);
    auto loaded = formats::import_huggingface(folder.path());
    INFO(theirs.config);
    const auto logits = their_logits(loaded, ours);
    CHECK(test::difference(logits, theirs.logits) < 5e-6);
    const auto packed = translation::pack(loaded.model, engine::Precision::fp32);
    engine::TextDecoder decoder(packed);
    std::vector<std::int32_t> text;
    for (const auto id : {2, 7, 4, 9, 10, 5})
      text.push_back(static_cast<std::int32_t>(ours[static_cast<std::size_t>(id)]));
    const search::TextModel::Reading reading{0, text};
    const auto found = decoder.read({&reading, 1});
    for (std::size_t id = 0; id < ours.size(); ++id)
      CHECK(found[static_cast<std::size_t>(ours[id])] ==
            Approx(logits[5][static_cast<std::int64_t>(id)].item<float>()).margin(2e-5));
  }
}

TEST_CASE("what a configuration says becomes options of ours") {
  const auto options = [](const test::TheirModel& theirs) {
    const test::TheirFolder folder(theirs);
    return formats::import_huggingface(folder.path()).experiment;
  };
  const auto llama = options(test::llama).model;
  CHECK(llama.rotary_base == 500);
  CHECK(llama.kv_heads == 2);
  CHECK(llama.d_k == 6);
  CHECK(llama.attention_bias);
  CHECK(llama.tie == nn::Tie::none);
  CHECK(llama.norm_epsilon == 1e-6);
  CHECK(options(test::llama_tied).model.norm_epsilon == 1e-3);
  CHECK(options(test::gemma).model.feed_forward == nn::FeedForwardKind::geglu);
  const auto gpt2 = options(test::gpt2);
  CHECK(gpt2.model.activation == nn::Activation::gelu_tanh);
  CHECK(gpt2.model.max_positions == 16);
  CHECK(gpt2.data.block == 16);  // texts begin with their end token
  CHECK(options(test::llama).data.block == 0);
  // Files of versions before 5 have two keys.
  test::TheirFolder old(test::llama);
  old.change([](json& config) {
    config.erase("rope_parameters");
    config["rope_theta"] = 2000.0;
    config["rope_scaling"] = nullptr;
  });
  CHECK(formats::import_huggingface(old.path()).experiment.model.rotary_base == 2000);
}

TEST_CASE("GPT-2's pieces and ids of texts are those of transformers") {
  test::TheirFolder folder(test::gpt2);
  folder.write("vocab.json", test::gpt2_vocabulary);
  folder.write("merges.txt", test::gpt2_merges);
  const auto vocabulary = json::parse(test::gpt2_vocabulary);
  const auto size = static_cast<std::int64_t>(vocabulary.size());
  folder.resize("transformer.wte.weight", {size, 8});
  folder.change([&](json& config) {
    config["vocab_size"] = size;
    config["bos_token_id"] = config["eos_token_id"] = 65;
  });
  const auto loaded = formats::import_huggingface(folder.path());
  const auto& tokenizer = *loaded.tokenizers.target;
  REQUIRE(tokenizer.size() == size + 3);
  for (const auto& [text, theirs] : test::gpt2_ids) {
    std::vector<std::int32_t> expected;
    for (const auto id : theirs) expected.push_back(id == 65 ? 0 : id + (id < 65 ? 4 : 3));
    CHECK(tokenizer.encode(text) == expected);
    if (std::ranges::find(theirs, 65) == theirs.end()) CHECK(tokenizer.decode(expected) == text);
  }
  CHECK(tokenizer.bytes_of(vocabulary["Ġ"].get<std::int32_t>() + 3) == " ");
  CHECK(tokenizer.decode(std::vector<std::int32_t>{vocabulary["ð"].get<std::int32_t>() + 3}) == "\uFFFD");
  // A model directory holds them as well.
  const test::TemporaryFolder copies;
  tokenizer.copy_to(copies.path() / "tokenizer.model");
  CHECK(data::Tokenizer(copies.path() / "tokenizer.model").encode("the cat's") ==
        tokenizer.encode("the cat's"));
}

TEST_CASE("without pieces texts are ids") {
  const test::TheirFolder folder(test::llama);
  const auto tokenizer = formats::import_huggingface(folder.path()).tokenizers.target;
  CHECK(tokenizer->encode("0 7 10") == std::vector<std::int32_t>{4, 9, 12});
  CHECK(tokenizer->decode(std::vector<std::int32_t>{9, 12, 3}) == "7 10");
  CHECK(tokenizer->encode("11 x") == std::vector<std::int32_t>{0, 0});
}

TEST_CASE("an unknown token that they have not, and suppressed ones, are never produced") {
  test::TheirFolder folder(test::llama);
  folder.write("generation_config.json", R"({"suppress_tokens": [7]})");
  auto loaded = formats::import_huggingface(folder.path());
  CHECK(loaded.experiment.model.output_bias);
  const auto bias = models::language_model(*loaded.model).projection().bias;
  CHECK(test::difference(bias, {-1e4, 0, 0, 0, 0, 0, 0, 0, 0, -1e4, 0, 0, 0}) == 0);
  const auto logits = their_logits(loaded, kTwoSpecial);
  CHECK(logits.select(1, 7).max().item<float>() < -9000);
  CHECK(logits.select(1, 8).min().item<float>() > -100);
}

TEST_CASE("what cannot be expressed is refused by name") {
  const auto refused = [](const test::TheirModel& theirs, const std::function<void(json&)>& change,
                          const std::string& words) {
    test::TheirFolder folder(theirs);
    folder.change(change);
    CHECK_THROWS_WITH(formats::import_huggingface(folder.path()), ContainsSubstring(words));
  };
  const auto setting = [&](const test::TheirModel& theirs, const char* key, const json& value,
                           const std::string& expected) {
    refused(
        theirs, [&](json& config) { config[key] = value; },
        std::string("key '") + key + "': expected " + expected);
  };
  setting(test::llama, "model_type", "qwen3",
          "albert, bart, bert, distilbert, gemma, gpt2, llama, m2m_100, marian, mbart, mistral, mt5, "
          "roberta, t5 or xlm-roberta, found \"qwen3\"");
  setting(test::llama, "hidden_size", nullptr, "a size, found nothing");
  setting(test::llama, "hidden_act", "gelu", "silu, found \"gelu\"");
  setting(test::llama, "rope_scaling", {{"rope_type", "llama3"}, {"factor", 8}},
          "rotary positions of the type default");
  setting(test::llama, "rope_parameters", {{"rope_type", "yarn"}, {"rope_theta", 1e4}},
          "rotary positions of the type default");
  setting(test::llama, "rope_parameters", {{"rope_theta", 1e4}, {"partial_rotary_factor", 0.5}},
          "rotary positions");
  setting(test::llama, "num_key_value_heads", 3, "a divisor of num_attention_heads, 4");
  setting(test::llama, "head_dim", 5, "an even number");
  setting(test::llama, "quantization_config", {{"bits", 4}}, "nothing");
  setting(test::llama, "eos_token_id", {2, 3}, "a whole number");
  setting(test::gemma, "use_bidirectional_attention", true, "false");
  setting(test::gemma, "mlp_bias", true, "false");
  setting(test::gemma, "hidden_act", "silu", "gelu_pytorch_tanh");
  setting(test::gpt2, "activation_function", "tanh", "gelu_new, gelu, relu or silu");
  setting(test::gpt2, "scale_attn_by_inverse_layer_idx", true, "false");
  setting(test::gpt2, "n_head", 3, "a divisor of n_embd, 8");
  const auto mistral = [](json& config) {
    config["model_type"] = "mistral";
    config["attention_bias"] = false;
    config["sliding_window"] = 8;
  };
  refused(test::llama, mistral,
          "key 'sliding_window': expected nothing, or at least max_position_embeddings, 16, found 8");
  refused(
      test::llama, [](json& config) { config["num_hidden_layers"] = 3; }, "'model.layers.2.self_attn");
  refused(
      test::llama, [](json& config) { config["num_hidden_layers"] = 1; },
      "which LlamaForCausalLM of config.json has not");
  refused(
      test::llama, [](json& config) { config["hidden_size"] = 16; }, "should be of floating-point numbers");
  refused(
      test::llama, [](json& config) { config["vocab_size"] = 5000000; }, "expected the");
  test::TheirFolder damaged(test::llama);
  damaged.write("tokenizer.model", "none");
  CHECK_THROWS_WITH(formats::import_huggingface(damaged.path()),
                    ContainsSubstring("tokenizer.model: expected a SentencePiece model"));
  test::TheirFolder merges(test::gpt2);
  merges.write("vocab.json", R"({"a": 0})");
  merges.write("merges.txt", "a b c\n");
  CHECK_THROWS_WITH(formats::import_huggingface(merges.path()),
                    ContainsSubstring("merges.txt: expected two pieces in each line, found 'a b c'"));
  merges.write("vocab.json", R"({"a": 11})");
  CHECK_THROWS_WITH(formats::import_huggingface(merges.path()), ContainsSubstring("vocab.json: key 'a'"));
}
