#include "transformer/formats/gguf/gguf.h"

#include "tests/damage.h"
#include "tests/formats/exported_model.h"
#include "transformer/data/character_vocabulary.h"
#include "transformer/formats/gguf/gguf_tokenizer.h"

using namespace transformer;
using formats::gguf_value;
using formats::GgufType;

namespace {

/// A model that has been written.
struct GgufExport {
  test::TemporaryFolder folder;
  checkpoints::LoadedModel model;
  std::filesystem::path path = folder.path() / "m.gguf";

  explicit GgufExport(const models::ModelOptions& options, const std::string& precision = "fp32")
      : model(test::loaded_language_model(options)) {
    formats::write_gguf(model, path, precision);
  }
  formats::GgufFile file() const { return formats::load_gguf(path); }
};

const formats::Sample kTexts{.origin = "a few", .sentences = {{10, 11, 12, 13}, {20, 21}, {}, {30}}};

models::ModelOptions changed(auto change) {
  auto options = test::llama_options();
  change(options);
  return options;
}

}  // namespace

TEST_CASE("GGUF holds Llama's layers with every option that they have") {
  for (const auto& options :
       {test::llama_options(), changed([](auto& o) { o.kv_heads = 1; }),
        changed([](auto& o) { o.scale_embedding = false; }), changed([](auto& o) { o.tie = nn::Tie::none; }),
        changed([](auto& o) { o.d_k = 12; }),
        changed([](auto& o) { o.scale_embedding = false, o.tie = nn::Tie::none; }),
        changed([](auto& o) { o.attention_bias = true, o.d_v = 5, o.norm_epsilon = 1e-3; })}) {
    GgufExport written(options);
    const auto proof = formats::prove(written.model.model, formats::read_gguf(written.path, torch::kCPU),
                                      kTexts, {}, formats::kRounding32);
    INFO(proof.table());
    CHECK(proof.holds());
  }
}

TEST_CASE("keys and tensors have the names and values that llama.cpp expects") {
  GgufExport written(changed([](auto& o) { o.kv_heads = 1, o.scale_embedding = false; }));
  const auto file = written.file();
  const auto integer = [&](const std::string& key) { return gguf_value<std::uint32_t>(file, key, "m"); };
  CHECK(gguf_value<std::string>(file, "general.architecture", "m") == "llama");
  CHECK(integer("llama.attention.head_count") == 2);
  CHECK(integer("llama.attention.head_count_kv") == 1);
  CHECK(integer("llama.rope.dimension_count") == 8);
  CHECK(integer("llama.vocab_size") == 70);
  CHECK(gguf_value<float>(file, "llama.attention.layer_norm_rms_epsilon", "m") == 1e-5F);
  CHECK(integer("tokenizer.ggml.bos_token_id") == kBos);
  CHECK(integer("tokenizer.ggml.eos_token_id") == kEos);
  CHECK(gguf_value<std::string>(file, "tokenizer.ggml.model", "m") == "llama");
  CHECK(gguf_value<std::vector<std::string>>(file, "tokenizer.ggml.tokens", "m") ==
        written.model.tokenizers.target->all_pieces());
  const auto& types = gguf_value<std::vector<std::int32_t>>(file, "tokenizer.ggml.token_type", "m");
  CHECK(std::vector(types.begin(), types.begin() + 5) == std::vector<std::int32_t>{2, 3, 3, 3, 1});
  const auto weights = formats::weights_of(written.model.model);
  const auto is = [&](const char* theirs, const char* ours) {
    CHECK(torch::equal(file.tensors.at(theirs).values, weights.at(ours)));
  };
  is("token_embd.weight", "embedding.weight");
  is("blk.0.attn_q.weight", "decoder.layers.0.self_attention.query.weight");
  is("blk.0.ffn_up.weight", "decoder.layers.0.feed_forward.inner.weight");
  is("blk.0.ffn_gate.bias", "decoder.layers.0.feed_forward.gate.bias");
  is("output_norm.weight", "decoder.norm.weight");
  CHECK_FALSE(file.tensors.contains("output.weight"));
  CHECK_FALSE(file.tensors.contains("blk.0.attn_q.bias"));
}

TEST_CASE("texts of a stream begin with the end of another, and biases of zero are left out") {
  auto model = test::loaded_language_model(test::llama_options());
  model.experiment.data.block = 64;
  {
    const torch::NoGradGuard none;
    for (const auto& named : model.model->named_parameters())
      if (named.key().ends_with("bias")) named.value().detach().zero_();
  }
  const test::TemporaryFolder folder;
  formats::write_gguf(model, folder.path() / "m.gguf", "fp32");
  const auto file = formats::load_gguf(folder.path() / "m.gguf");
  CHECK(gguf_value<std::uint32_t>(file, "tokenizer.ggml.bos_token_id", "m") == kEos);
  CHECK(gguf_value<std::uint32_t>(file, "llama.context_length", "m") == 64);
  for (const auto& [name, tensor] : file.tensors) CHECK_FALSE(name.ends_with("bias"));
}

TEST_CASE("other precisions hold the converted model's numbers; rows of no whole blocks stay fp32") {
  const auto wide = changed([](auto& o) { o.d_model = 32, o.d_ff = 40; });
  for (const auto& [precision, type] :
       {std::pair{"fp16", GgufType::f16}, {"bf16", GgufType::bf16}, {"int8", GgufType::q8_0}}) {
    INFO(precision);
    GgufExport written(wide, precision);
    const auto file = written.file();
    CHECK(file.tensors.at("blk.0.attn_q.weight").type == type);
    CHECK(file.tensors.at("blk.0.attn_norm.weight").type == GgufType::f32);
    CHECK(file.tensors.at("blk.0.ffn_down.weight").type == GgufType::f32);
    const auto candidate = formats::read_gguf(written.path, torch::kCPU);
    CHECK_FALSE(formats::prove(written.model.model, candidate, kTexts, {}, 1e-6).holds());
    formats::make_llama(written.model, precision);
    const auto proof = formats::prove(written.model.model, candidate, kTexts, {}, 1e-6);
    INFO(proof.table());
    CHECK(proof.holds());
  }
}

TEST_CASE("what Llama has not is refused by its key") {
  const auto refused = [](auto change, const std::vector<std::string>& expected) {
    test::check_refused([&] { GgufExport written(changed(change)); }, expected);
  };
  refused([](auto& o) { o.positions = nn::Positions::interleaved; }, {"model.positions: expected rotary"});
  refused([](auto& o) { o.norm = nn::NormPlacement::post; }, {"model.norm: expected pre", "found post"});
  refused([](auto& o) { o.norm_type = nn::NormKind::layer; }, {"model.norm_type: expected rms"});
  refused([](auto& o) { o.feed_forward = nn::FeedForwardKind::glu; },
          {"model.feed_forward: expected swiglu"});
  refused([](auto& o) { o.d_v = 9; }, {"model.d_v: expected at most model.d_k (8)", "found 9"});
  refused([](auto& o) { o.attention_bias = true, o.d_k = 10; },
          {"model.attention_bias: expected false", "d_model (16)", "heads of 20"});
  refused([](auto& o) { o.qk_norm = true; }, {"model.qk_norm: true"});
  refused([](auto& o) { o.output_bias = true; }, {"model.output_bias: true"});
  test::check_refused(
      [] { formats::write_gguf(test::loaded_model(test::small_options()), "/dev/null", "fp32"); },
      {"model.kind: expected decoder", "encoder-decoder"});
}

TEST_CASE("tokenizers of characters come back, and those of bytes are refused") {
  const test::TemporaryFolder folder;
  for (const auto kind : {data::TokenizerKind::characters, data::TokenizerKind::bytes}) {
    data::DataOptions options;
    options.tokenizer_kind = kind;
    options.normalization = data::NormalizationRule::identity;
    std::size_t line = 0;
    const auto next = [&](std::string& text) {
      if (line == test::english_lines().size()) return false;
      text = test::english_lines()[line++];
      return true;
    };
    (kind == data::TokenizerKind::bytes ? data::make_bytes : data::count_characters_of)(
        next, options, folder.path() / "m.model");
    const data::Tokenizer tokenizer(folder.path() / "m.model");
    formats::GgufFile file;
    if (kind == data::TokenizerKind::bytes) {
      test::check_refused([&] { formats::add_gguf_tokenizer(file, tokenizer, kBos); },
                          {"m.model", "data.tokenizer_kind: bytes"});
      continue;
    }
    formats::add_gguf_tokenizer(file, tokenizer, kBos);
    const auto found = formats::gguf_tokenizer(file, "m.gguf");
    for (const auto& line : test::english_lines()) CHECK(found.encode(line) == tokenizer.encode(line));
  }
}

TEST_CASE("a damaged GGUF file is refused, or a model all the same") {
  const GgufExport written(test::llama_options());
  test::damage_noticed(written.path, [&] {
    formats::read_gguf(written.path, torch::kCPU);
    return true;
  });
}
