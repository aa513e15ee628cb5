#include "transformer/formats/safetensors/safetensors_folder.h"

#include "tests/damage.h"
#include "tests/formats/exported_model.h"
#include "transformer/checkpoints/safetensors.h"
#include "transformer/formats/json_file.h"

namespace transformer::formats {
namespace {

namespace fs = std::filesystem;

/// A model that has been written.
struct SafetensorsExport : test::Exported {
  explicit SafetensorsExport(const models::ModelOptions& options, bool shared = true)
      : Exported("safetensors", options, shared) {}
};

TEST_CASE("every kind of model comes back from its plain weights, bit for bit") {
  for (const auto& [name, options] : test::variants()) {
    INFO(name);
    SafetensorsExport written(options);
    CHECK(test::logit_difference(written.model.encoder_decoder(), written.read()) == 0.0);
  }
}

TEST_CASE("weights have the names that are documented") {
  auto options = test::small_options();
  options.norm = nn::NormPlacement::pre;
  options.attention_bias = true;
  options.positions = nn::Positions::learned;
  const SafetensorsExport written(options);
  const auto weights = checkpoints::load_safetensors(written.path / "model.safetensors");
  for (const std::string name :
       {"embedding.weight", "source_positions.weight", "target_positions.weight",
        "encoder.layers.1.self_attention.query.weight", "encoder.layers.1.self_attention.output.bias",
        "encoder.layers.0.self_attention_norm.weight", "decoder.layers.0.source_attention_norm.bias",
        "decoder.layers.0.feed_forward.inner.weight", "decoder.layers.0.feed_forward_norm.weight",
        "encoder.norm.weight", "decoder.norm.bias"}) {
    INFO(name);
    CHECK(weights.count(name) == 1);
  }
  for (const auto& [name, tensor] : weights) {
    INFO(name);
    CHECK(name.find("residual") == std::string::npos);
    CHECK(tensor.scalar_type() == torch::kFloat);
  }
}

TEST_CASE("config.json says all that the weights do not") {
  auto options = test::small_options();
  options.tie = nn::Tie::none;
  options.norm_epsilon = 1e-6;
  const SafetensorsExport written(options, /*shared=*/false);
  const auto config = read_json(written.path / "config.json");
  CHECK(config["source_language"] == "en");
  CHECK(config["vocabulary"] == nlohmann::json{{"source", 70}, {"target", 80}, {"shared", false}});
  CHECK(config["special_ids"] == nlohmann::json{{"unknown", 0}, {"padding", 1}, {"begin", 2}, {"end", 3}});
  CHECK(config["model"]["d_k"] == 8);
  CHECK(config["model"]["tie"] == "none");
  CHECK(config["model"]["attention_bias"] == false);
  CHECK(config["model"]["norm_epsilon"] == 1e-6);
  CHECK(config["decode"]["alpha"] == 0.6);
  CHECK(fs::exists(written.path / "tokenizer.source.model"));
}

TEST_CASE("a folder with a wrong description is refused") {
  const SafetensorsExport written(test::small_options());
  const auto config = read_json(written.path / "config.json");
  const auto refused = [&](auto change, const std::vector<std::string>& expected) {
    auto changed = config;
    change(changed);
    write_json(written.path / "config.json", changed);
    test::check_refused([&] { written.read(); }, expected);
  };
  refused([](auto& c) { c = 1; }, {"config.json", "format"});
  refused([](auto& c) { c["version"] = 2; }, {"config.json", "version"});
  refused([](auto& c) { c["model"] = "large"; }, {"config.json", "'model'", "large"});
  refused([](auto& c) { c["model"]["headz"] = 2; }, {"config.json", "'model.headz'"});
  refused([](auto& c) { c["model"]["heads"] = "two"; }, {"'model.heads'", "whole number", "two"});
  refused([](auto& c) { c["model"]["d_model"] = 15; }, {"config.json", "model.d_model"});
  refused([](auto& c) { c["model"]["d_ff"] = 1000000; }, {"model.safetensors", "weights"});
  refused([](auto& c) { c["model"]["encoder_layers"] = 1; }, {"model.safetensors", "weights"});
  written.folder.write("exported/config.json", std::string(100000, '['));
  test::check_refused([&] { written.read(); }, {"config.json", "JSON"});
}

TEST_CASE("a damaged folder of plain weights is refused, or a model all the same") {
  const SafetensorsExport written(test::small_options());
  for (const std::string file : {"model.safetensors", "config.json"}) {
    const int noticed = test::damage_noticed(written.path / file, [&] {
      written.read();
      return true;
    });
    CHECK(noticed >= 95);  // those that are cut short; config.json may lose its last line end
  }
}

}  // namespace
}  // namespace transformer::formats
