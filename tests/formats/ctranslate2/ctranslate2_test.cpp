#include "transformer/formats/ctranslate2/ctranslate2.h"

#include "tests/damage.h"
#include "tests/formats/exported_model.h"
#include "transformer/formats/ctranslate2/ctranslate2_variables.h"
#include "transformer/formats/json_file.h"

namespace transformer::formats {
namespace {

namespace fs = std::filesystem;

/// A model that has been written.
struct Ctranslate2Export : test::Exported {
  explicit Ctranslate2Export(const models::ModelOptions& options, bool shared = true)
      : Exported("ctranslate2", options, shared) {}

  CTranslate2File variables() const { return load_ctranslate2_file(path / "model.bin"); }
};

std::int64_t number(const CTranslate2File& file, const std::string& name) {
  return file.variables.at(name).item().toLong();
}

TEST_CASE("every kind of model comes back from CTranslate2's folder") {
  for (const auto& [name, options] : test::variants()) {
    INFO(name);
    Ctranslate2Export written(options);
    CHECK(test::logit_difference(written.model.encoder_decoder(), written.read()) < 1e-4);
  }
}

TEST_CASE("separate vocabularies lie in separate files") {
  auto options = test::small_options();
  options.tie = nn::Tie::none;
  Ctranslate2Export written(options, /*shared=*/false);
  CHECK_FALSE(fs::exists(written.path / "shared_vocabulary.json"));
  CHECK(read_json(written.path / "source_vocabulary.json").size() == 70);
  CHECK(read_json(written.path / "target_vocabulary.json").size() == 80);
  CHECK(fs::exists(written.path / "tokenizer.target.model"));
  CHECK(test::logit_difference(written.model.encoder_decoder(), written.read()) < 1e-4);
}

TEST_CASE("variables have the names, shapes and values that CTranslate2 expects") {
  const Ctranslate2Export written(test::small_options());
  const auto file = written.variables();
  CHECK(file.specification == "TransformerSpec");
  CHECK(file.revision == 7);
  CHECK(file.aliases ==
        std::map<std::string, std::string>{
            {"decoder/projection/weight", "decoder/embeddings/weight"},
            {"encoder/embeddings_0/weight", "decoder/embeddings/weight"},
            {"encoder/position_encodings/encodings", "decoder/position_encodings/encodings"}});
  const auto shape = [&](const std::string& name) { return file.variables.at(name).sizes().vec(); };
  using Shape = std::vector<std::int64_t>;
  CHECK(shape("decoder/embeddings/weight") == Shape{70, 16});
  CHECK(shape("decoder/position_encodings/encodings") == Shape{1024 + 50 + 2, 16});
  CHECK(shape("encoder/layer_1/self_attention/linear_0/weight") == Shape{48, 16});
  CHECK(shape("decoder/layer_0/attention/linear_1/weight") == Shape{32, 16});
  CHECK(shape("decoder/layer_0/ffn/linear_0/bias") == Shape{24});
  CHECK_FALSE(file.variables.contains("encoder/layer_0/self_attention/linear_0/bias"));
  CHECK_FALSE(file.variables.contains("encoder/layer_0/self_attention/head_dim"));
  CHECK(number(file, "encoder/num_heads") == 2);
  CHECK(number(file, "decoder/pre_norm") == 0);
  const auto weights = weights_of(written.model.encoder_decoder());
  CHECK(torch::equal(file.variables.at("decoder/layer_0/attention/linear_1/weight"),
                     torch::cat({weights.at("decoder.layers.0.source_attention.key.weight"),
                                 weights.at("decoder.layers.0.source_attention.value.weight")})));
}

TEST_CASE("heads get the usual size where they fit into it, else their own") {
  auto options = test::small_options();
  options.d_k = 3;
  CHECK_FALSE(
      Ctranslate2Export(options).variables().variables.contains("decoder/layer_0/attention/head_dim"));
  options.d_k = 11;
  const auto file = Ctranslate2Export(options).variables();
  CHECK(number(file, "decoder/layer_0/attention/head_dim") == 11);
  CHECK(file.variables.at("decoder/layer_0/self_attention/linear_1/weight").size(1) == 22);
}

TEST_CASE("config.json says how sentences begin and end") {
  auto options = test::small_options();
  options.norm_epsilon = 1e-3;
  const Ctranslate2Export written(options);
  CHECK(read_json(written.path / "config.json") == nlohmann::json{{"add_source_bos", false},
                                                                  {"add_source_eos", true},
                                                                  {"bos_token", "<s>"},
                                                                  {"decoder_start_token", "<s>"},
                                                                  {"eos_token", "</s>"},
                                                                  {"layer_norm_epsilon", 1e-3},
                                                                  {"multi_query_attention", false},
                                                                  {"unk_token", "<unk>"}});
  const auto pieces = read_json(written.path / "shared_vocabulary.json");
  REQUIRE(pieces.size() == 70);
  for (std::int32_t id = 0; id < 70; ++id) CHECK(pieces[id] == written.model.tokenizers.source->piece_of(id));
}

namespace {

/// A language model that has been written.
struct LanguageExport {
  test::TemporaryFolder folder;
  checkpoints::LoadedModel model;

  explicit LanguageExport(const models::ModelOptions& options) : model(test::loaded_language_model(options)) {
    write_ctranslate2(model, folder.path());
  }
  CTranslate2File variables() const { return load_ctranslate2_file(folder.path() / "model.bin"); }
};

}  // namespace

TEST_CASE("a language model has the variables of CTranslate2's decoder model") {
  auto options = test::llama_options();
  options.kv_heads = 1;
  options.qk_norm = true;
  LanguageExport written(options);
  const auto file = written.variables();
  CHECK(file.specification == "TransformerDecoderSpec");
  CHECK(file.revision == 8);
  CHECK(file.aliases ==
        std::map<std::string, std::string>{{"decoder/projection/weight", "decoder/embeddings/weight"}});
  const auto attention = [](const char* name) {
    return std::string("decoder/layer_0/self_attention/") + name;
  };
  CHECK(file.variables.at(attention("linear_0/weight")).sizes() == torch::IntArrayRef{32, 16});
  CHECK(number(file, attention("num_heads_kv")) == 1);
  CHECK(number(file, attention("rotary_dim")) == 8);
  CHECK(number(file, attention("rotary_interleave")) == 1);
  CHECK(file.variables.at(attention("rotary_base")).scalar_type() == torch::kFloat);
  CHECK(number(file, "decoder/activation") == 2);
  CHECK(file.variables.contains("decoder/layer_0/ffn/linear_0_noact/weight"));
  CHECK(file.variables.contains(attention("q_norm/gamma")));
  for (const auto& [name, ignored] : file.variables) {
    CHECK(name.starts_with("decoder/"));
    CHECK(name.find("beta") == std::string::npos);
    CHECK(name.find("position_encodings") == std::string::npos);
  }
  CHECK(read_json(written.folder.path() / "config.json") == nlohmann::json{{"bos_token", "<s>"},
                                                                           {"eos_token", "</s>"},
                                                                           {"layer_norm_epsilon", 1e-5},
                                                                           {"multi_query_attention", true},
                                                                           {"unk_token", "<unk>"}});
  CHECK(read_json(written.folder.path() / "vocabulary.json").size() == 70);
}

TEST_CASE("texts of a stream begin with an end, which config.json says") {
  auto model = test::loaded_language_model(test::small_options());
  model.experiment.data.block = 5000;
  const test::TemporaryFolder folder;
  write_ctranslate2(model, folder.path());
  CHECK(read_json(folder.path() / "config.json")["bos_token"] == "</s>");
  const auto file = load_ctranslate2_file(folder.path() / "model.bin");
  CHECK(file.variables.at("decoder/position_encodings/encodings").size(0) == 5000);
  CHECK_NOTHROW(read_ctranslate2(folder.path(), torch::kCPU));
}

TEST_CASE("a damaged language model is refused, or a model all the same") {
  auto options = test::llama_options();
  options.kv_heads = 1;
  const LanguageExport written(options);
  test::damage_noticed(written.folder.path() / "model.bin", [&] {
    read_ctranslate2(written.folder.path(), torch::kCPU);
    return true;
  });
}

TEST_CASE("a folder whose files do not belong together is refused") {
  const Ctranslate2Export written(test::small_options());
  const auto config = read_json(written.path / "config.json");
  const auto refused = [&](const std::vector<std::string>& expected) {
    test::check_refused([&] { written.read(); }, expected);
  };
  for (const auto& [key, value] : std::map<std::string, nlohmann::json>{
           {"layer_norm_epsilon", "small"}, {"add_source_eos", false}, {"eos_token", "<s>"}}) {
    auto changed = config;
    changed[key] = value;
    write_json(written.path / "config.json", changed);
    refused({"config.json"});
  }
  write_json(written.path / "config.json", nlohmann::json::array());
  refused({"config.json", "layer_norm_epsilon"});
  write_json(written.path / "config.json", config);
  auto pieces = read_json(written.path / "shared_vocabulary.json");
  std::swap(pieces[10], pieces[11]);
  write_json(written.path / "shared_vocabulary.json", pieces);
  refused({"shared_vocabulary.json"});
}

TEST_CASE("variables that are no model of ours are refused by name") {
  const Ctranslate2Export written(test::small_options());
  const auto refused = [&](auto change, const std::vector<std::string>& expected) {
    auto file = written.variables();
    change(file);
    test::check_refused([&] { model_of_variables(file, "model.bin"); }, expected);
  };
  refused([](auto& f) { f.variables.erase("decoder/layer_0/ffn/linear_0/bias"); },
          {"model.bin", "'decoder/layer_0/ffn/linear_0/bias' is missing"});
  refused([](auto& f) { f.variables["decoder/layer_norm/gamma"] = torch::ones(16); },
          {"'decoder/layer_norm/gamma'", "no model of ours"});
  refused([](auto& f) { f.variables["decoder/scale_embeddings"] = torch::tensor(0, torch::kChar); },
          {"'decoder/scale_embeddings'", "expected 1, found 0"});
  refused([](auto& f) { f.variables["encoder/activation"] = torch::tensor(5, torch::kChar); },
          {"activation'", "expected 3"});
  refused([](auto& f) { f.variables["encoder/num_heads"] = torch::tensor(3, torch::kShort); },
          {"'encoder/num_heads'", "divisor of 16, found 3"});
  refused([](auto& f) { f.variables["encoder/num_heads"] = torch::ones(2, torch::kShort); },
          {"'encoder/num_heads'", "one number"});
  refused([](auto& f) { f.variables["decoder/embeddings/weight"] = torch::ones(16); },
          {"'decoder/embeddings/weight'", "2 dimensions, found 1"});
  refused([](auto& f) { f.specification = "WhisperSpec"; }, {"TransformerSpec", "WhisperSpec"});
  refused([](auto& f) { f.revision = 3; }, {"revision 7", "revision 3"});
}

TEST_CASE("a damaged model.bin is refused, or a model all the same") {
  const Ctranslate2Export written(test::small_options());
  test::damage_noticed(written.path / "model.bin", [&] {
    written.read();
    return true;
  });
}

}  // namespace
}  // namespace transformer::formats
