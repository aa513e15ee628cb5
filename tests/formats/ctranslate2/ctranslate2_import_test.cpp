#include "transformer/formats/ctranslate2/ctranslate2_import.h"

#include <map>

#include "tests/catch.h"
#include "tests/damage.h"
#include "tests/formats/exported_model.h"
#include "transformer/base/atomic_file.h"
#include "transformer/formats/ctranslate2/ctranslate2.h"
#include "transformer/formats/ctranslate2/ctranslate2_file.h"
#include "transformer/formats/json_file.h"

namespace transformer::formats {
namespace {

namespace fs = std::filesystem;

class TheirTranslator {
 public:
  explicit TheirTranslator(const models::ModelOptions& options, bool shared = true)
      : model(test::loaded_model(options, shared)) {
    fs::create_directory(path);
    write_ctranslate2(model, path);
  }

  template <typename Change>
  void change_variables(Change change) const {
    auto file = load_ctranslate2_file(path / "model.bin");
    change(file);
    save_ctranslate2_file(path / "model.bin", file);
  }

  template <typename Change>
  void change_config(Change change) const {
    auto config = read_json(path / "config.json");
    change(config);
    write_json(path / "config.json", config);
  }

  CTranslate2Import import() const { return import_ctranslate2(path); }

  /// The largest difference of logits of our own model and the one that comes back. Both have our ids.
  double difference() const {
    auto back = import().model.encoder_decoder();
    const torch::NoGradGuard no_gradients;
    const auto source = torch::tensor({{9, 30, 12, 3}, {8, 3, 1, 1}}),
               target = torch::tensor({{2, 50, 7}, {2, 9, 4}});
    const auto difference = model.encoder_decoder()->forward(source, target) - back->forward(source, target);
    return difference.abs().max().item<double>();
  }

  void refused(const std::vector<std::string>& expected) const {
    test::check_refused([&] { import(); }, expected);
  }

  test::TemporaryFolder folder;
  checkpoints::LoadedModel model;
  fs::path path = folder.path() / "their";
};

TEST_CASE("what CTranslate2's folder holds comes back as a model") {
  for (const auto& [name, options] : test::variants()) {
    INFO(name);
    CHECK(TheirTranslator(options).difference() < 1e-4);
  }
  auto options = test::small_options();
  options.tie = nn::Tie::none;
  const TheirTranslator apart(options, /*shared=*/false);
  CHECK(apart.difference() < 1e-4);
  const auto tokenizers = apart.import().model.tokenizers;
  CHECK(tokenizers.source->size() == 70);
  CHECK(tokenizers.target->size() == 80);
}

TEST_CASE("weights of 16 and 8 bits mean their numbers by their scales") {
  const TheirTranslator their(test::small_options());
  const auto quantise = [&](torch::ScalarType type, bool by_row) {
    their.change_variables([&](CTranslate2File& file) {
      const auto plain = file.variables;
      for (const auto& [name, weight] : plain) {
        if (weight.dim() != 2 || !name.ends_with("weight")) continue;
        const auto most = by_row ? weight.abs().amax(1) : torch::tensor(weight.abs().max().item<float>());
        const auto scale = (type == torch::kChar ? 127 : 1000) / most;
        file.variables[name] = (weight * (by_row ? scale.unsqueeze(1) : scale)).round().to(type);
        file.variables[name + "_scale"] = scale;
      }
    });
  };
  quantise(torch::kShort, false);
  CHECK(their.import().is_quantised);
  CHECK(their.difference() < 0.1);
  CHECK(their.difference() > 0);
  const TheirTranslator eight(test::small_options());
  CHECK_FALSE(eight.import().is_quantised);
  eight.change_variables(
      [](CTranslate2File& file) { file.variables["decoder/projection/x"] = torch::ones(2, torch::kChar); });
  eight.refused({"model.bin", "'decoder/projection/x': expected its scale"});
}

TEST_CASE("a file without positions has sinusoids from position 1, and older ones say less") {
  auto options = test::small_options();
  options.tie = nn::Tie::none;
  const TheirTranslator their(options);
  their.change_variables([](CTranslate2File& file) {
    for (const std::string side : {"encoder", "decoder"}) {
      file.aliases.erase(side + "/position_encodings/encodings");
      file.variables.erase(side + "/position_encodings/encodings");
    }
    for (const auto* name : {"decoder/alibi", "decoder/alignment_layer", "encoder/multi_query_attention",
                             "encoder/scale_embeddings", "encoder/embeddings_merge"})
      file.variables.erase(name);
    file.variables["encoder/embeddings/weight"] = file.variables.at("encoder/embeddings_0/weight");
    file.variables.erase("encoder/embeddings_0/weight");
    for (const std::string name : {"num_heads", "pre_norm", "activation"}) {
      file.variables[name] = file.variables.at("encoder/" + name);
      for (const std::string side : {"encoder/", "decoder/"}) file.variables.erase(side + name);
    }
    file.revision = 4;
  });
  auto model = their.import().model.encoder_decoder();
  CHECK(model->options().positions == nn::Positions::learned);
  const auto table = model->named_parameters()["source_positions.weight"].detach();
  CHECK(table[0][0].item<double>() == Approx(std::sin(1.0)));
  CHECK(table[6][8].item<double>() == Approx(std::cos(7.0)));
}

TEST_CASE("config.json says how texts begin and end") {
  const TheirTranslator their(test::small_options());
  their.change_config([](auto& config) { config["add_source_eos"] = false; });
  CHECK_FALSE(their.import().model.experiment.model.source_end);
  their.change_config([](auto& config) { config["add_source_bos"] = true; });
  const auto tokenizers = their.import().model.tokenizers;
  CHECK(tokenizers.source->begin() > kEos);
  CHECK(tokenizers.source->piece_of(tokenizers.source->begin()) == "<s>");
  CHECK(tokenizers.target->begin() == kUnknown);
  their.change_config([](auto& config) { config["decoder_start_token"] = "none"; });
  their.refused({"shared_vocabulary.json: expected 'none', the token that begins outputs, found none"});
  their.change_config([](auto& config) { config["decoder_start_token"] = nullptr; });
  their.refused({"config.json: decoder_start_token"});
  their.change_config([](auto& config) { config["add_source_bos"] = "yes"; });
  their.refused({"config.json", "add_source_bos"});
}

TEST_CASE("without a tokenizer tokens are words between blanks") {
  const TheirTranslator their(test::small_options());
  fs::remove(their.path / "tokenizer.model");
  auto tokens = read_json(their.path / "shared_vocabulary.json");
  for (std::size_t id = 4; id < tokens.size(); ++id) tokens[id] = "w" + std::to_string(id);
  fs::remove(their.path / "shared_vocabulary.json");
  std::string lines;
  for (const auto& token : tokens) lines += token.get<std::string>() + "\n";
  write_file_atomically(their.path / "shared_vocabulary.txt", lines);
  const auto loaded = their.import().model;
  CHECK(loaded.tokenizers.source->encode("w9 w5 x") == std::vector<std::int32_t>{9, 5, kUnknown});
  CHECK(their.difference() < 1e-4);
  write_file_atomically(their.path / "shared_vocabulary.txt", lines + "more\n");
  their.refused({"shared_vocabulary.txt: expected 70 tokens, as many as rows of the embedding, found 71"});
  write_file_atomically(their.path / "shared_vocabulary.txt", lines.substr(0, lines.size() - 1) + " w\n");
  their.refused({"shared_vocabulary.txt: expected words without blanks", "SentencePiece"});
  fs::remove(their.path / "shared_vocabulary.txt");
  their.refused({"expected shared_vocabulary, or source_vocabulary and target_vocabulary"});
}

TEST_CASE("models of other sorts are refused by name") {
  const auto refused = [](auto change, const std::vector<std::string>& expected) {
    const TheirTranslator their(test::small_options());
    their.change_variables(change);
    their.refused(expected);
  };
  refused([](auto& f) { f.specification = "TransformerDecoderSpec"; },
          {"expected a translation model", "found TransformerDecoderSpec"});
  refused([](auto& f) { f.revision = 9; }, {"expected revision 2 to 7 of TransformerSpec, found 9"});
  refused([](auto& f) { f.revision = 1; }, {"found 1"});
  refused([](auto& f) { f.variables["encoder/layernorm_embedding/gamma"] = torch::ones(16); },
          {"holds 'encoder/layernorm_embedding/gamma', which no model of ours has"});
  refused([](auto& f) { f.variables["encoder/scale_embeddings"] = torch::tensor(3.5F); },
          {"'encoder/scale_embeddings': expected 1 or the root of the model's width, 4, found 3.5"});
  refused([](auto& f) { f.variables["encoder/num_heads"] = torch::tensor(1e30F); }, {"'encoder/num_heads'"});
  refused([](auto& f) { f.variables["decoder/layer_0/ffn/linear_0/bias"].fill_(NAN); },
          {"expected finite numbers"});
}

TEST_CASE("a damaged model.bin of theirs is refused, or a model all the same") {
  const TheirTranslator their(test::small_options());
  test::damage_noticed(their.path / "model.bin", [&] {
    their.import();
    return true;
  });
}

}  // namespace
}  // namespace transformer::formats
