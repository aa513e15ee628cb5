#include "transformer/formats/marian/marian_import.h"

#include <numeric>

#include "tests/catch.h"
#include "tests/formats/marian/marian_folder.h"
#include "tests/nn/checks.h"
#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/search/options.h"

namespace transformer::formats {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::kPieces;

/// Their id of each of ours, in OPUS-MT's manner: end 0, unknown 1, the others, padding last; no begin.
std::vector<std::int64_t> opus_ids() {
  std::vector<std::int64_t> ids(kPieces);
  std::iota(ids.begin(), ids.end(), -2);
  ids[kEos] = 0;
  ids[kUnknown] = 1;
  ids[kPad] = ids[kBos] = kPieces - 2;
  return ids;
}

torch::Tensor our_id_of_theirs() {
  auto ours = torch::zeros({kPieces - 1}, torch::kLong);
  const auto theirs = opus_ids();
  for (std::int64_t id = 0; id < kPieces; ++id)
    if (id != kBos) ours[theirs[static_cast<std::size_t>(id)]] = id;
  return ours;
}

/// A folder as OPUS-MT's are, in another precision too.
fs::path opus_folder(const checkpoints::LoadedModel& model, const test::TemporaryFolder& folder,
                     torch::ScalarType type = torch::kFloat) {
  const auto path = test::exported(model, folder, "opus");
  auto config = test::read_json(path / "config.json");
  config["vocab_size"] = config["decoder_vocab_size"] = kPieces - 1;
  config["eos_token_id"] = config["forced_eos_token_id"] = 0;
  config["pad_token_id"] = config["decoder_start_token_id"] = kPieces - 2;
  config["bad_words_ids"] = {{kPieces - 2}};
  config["num_beams"] = 6;
  config["max_length"] = 512;
  test::write_json(path / "config.json", config);
  for (const auto* own : {"transformer_length_offset", "transformer_length_penalty", "transformer_candidates",
                          "transformer_stored_positions"})
    config.erase(own);
  test::write_json(path / "config.json", config);
  fs::remove(path / "generation_config.json");
  fs::remove(path / "tokenizer_config.json");
  json vocabulary = json::object();
  const auto theirs = opus_ids();
  const auto pieces = model.tokenizers.source->all_pieces();
  for (std::size_t id = 0; id < pieces.size(); ++id)
    if (id != kBos) vocabulary[pieces[id]] = theirs[id];
  test::write_json(path / "vocab.json", vocabulary);
  auto tensors = checkpoints::load_safetensors(path / "model.safetensors");
  const auto order = our_id_of_theirs();
  auto& bias = tensors.at("final_logits_bias");
  bias = bias.index_select(1, order);
  for (const auto* name : {"model.shared.weight", "model.encoder.embed_tokens.weight",
                           "model.decoder.embed_tokens.weight", "lm_head.weight"})
    if (tensors.contains(name)) tensors.at(name) = tensors.at(name).index_select(0, order);
  for (auto& [name, tensor] : tensors) tensor = tensor.to(type);
  checkpoints::save_safetensors(path / "model.safetensors", {tensors.begin(), tensors.end()});
  return path;
}

/// The model that such a folder means: it begins with padding's vector, and never produces the begin.
checkpoints::LoadedModel opus_model(const test::TemporaryFolder& folder, nn::Tie tie = nn::Tie::all) {
  auto options = test::tiny_options();
  options.output_bias = options.attention_bias = true;
  options.activation = nn::Activation::swish;
  options.positions = nn::Positions::halves;
  options.tie = tie;
  auto model = test::marian_model(folder, options);
  const torch::NoGradGuard no_gradients;
  for (auto& parameter : model.model->named_parameters())
    if (parameter.key().ends_with("embedding.weight") || parameter.key() == "output.weight")
      parameter.value()[kBos] = parameter.value()[kPad];
  model.encoder_decoder()->output_bias[kBos] = -1e4;
  return model;
}

TEST_CASE("a model that begins with padding gets a begin of its own") {
  for (const auto tie : {nn::Tie::all, nn::Tie::target, nn::Tie::none}) {
    const test::TemporaryFolder folder;
    const auto model = opus_model(folder, tie);
    const auto found = import_marian(opus_folder(model, folder));
    CHECK(test::difference(test::some_logits(model.encoder_decoder()),
                           test::some_logits(found.encoder_decoder())) < 1e-4);
    CHECK(found.experiment.model.positions == nn::Positions::halves);
    CHECK(found.experiment.decode == search::DecodeOptions{.beam = 6,
                                                           .alpha = 1.0,
                                                           .length_penalty = search::LengthPenalty::length,
                                                           .length_offset = 510});
  }
}

TEST_CASE("outputs without a bound get ours") {
  const test::TemporaryFolder folder;
  const auto path = opus_folder(opus_model(folder), folder);
  auto config = test::read_json(path / "config.json");
  config["max_length"] = 100000;
  test::write_json(path / "config.json", config);
  CHECK(import_marian(path).experiment.decode.length_offset == search::kMostLengthOffset);
}

TEST_CASE("half-precision weights are read") {
  const test::TemporaryFolder folder;
  const auto model = opus_model(folder);
  for (const auto type : {torch::kHalf, torch::kBFloat16}) {
    fs::remove_all(folder.path() / "opus");
    const auto rounded = import_marian(opus_folder(model, folder, type));
    const auto weight = rounded.encoder_decoder()->source_embedding->weight;
    CHECK(weight.scalar_type() == torch::kFloat);
    CHECK(torch::equal(weight, model.encoder_decoder()->source_embedding->weight.to(type).to(torch::kFloat)));
  }
}

TEST_CASE("an imported model is a model directory, and exports again") {
  const test::TemporaryFolder folder;
  const auto model = opus_model(folder);
  const auto path = opus_folder(model, folder);
  // Another order of the words, so that the vocabulary is not the SentencePiece model's.
  auto vocabulary = test::read_json(path / "vocab.json");
  const auto pieces = model.tokenizers.source->all_pieces();
  std::swap(vocabulary[pieces[20]], vocabulary[pieces[30]]);
  test::write_json(path / "vocab.json", vocabulary);
  const auto imported = import_marian(path);
  const auto directory = folder.path() / "model";
  fs::create_directory(directory);
  checkpoints::write_model_files(directory, checkpoints::named_parameters(imported.model),
                                 imported.experiment, imported.tokenizers);
  write_checksums(directory);
  fs::remove_all(path);  // nothing of the folder is needed any more
  const auto loaded = checkpoints::load_model(directory, torch::kCPU);
  CHECK(loaded.experiment == imported.experiment);
  CHECK(torch::equal(test::some_logits(loaded.encoder_decoder()),
                     test::some_logits(imported.encoder_decoder())));
  CHECK(loaded.tokenizers.source->has_vocabulary());
  for (const auto& line : test::english_lines()) {
    auto expected = model.tokenizers.source->encode(line);
    for (auto& id : expected) id = id == 20 ? 30 : id == 30 ? 20 : id;
    CHECK(loaded.tokenizers.source->encode(line) == expected);
    CHECK(loaded.tokenizers.target->decode(expected) == line);
  }
  const auto again = import_marian(test::exported(loaded, folder, "again"));
  CHECK(test::difference(test::some_logits(again.encoder_decoder()),
                         test::some_logits(loaded.encoder_decoder())) < 1e-5);
  CHECK(again.tokenizers.target->all_pieces() == loaded.tokenizers.target->all_pieces());
  CHECK(again.experiment.model == loaded.experiment.model);

  fs::remove(directory / "tokenizer.vocabulary.json");
  CHECK_THROWS_WITH(checkpoints::load_model(directory, torch::kCPU),
                    ContainsSubstring("tokenizer.vocabulary.json"));
}

/// What an import makes of such generation_config.json.
search::DecodeOptions searched(const fs::path& path, const json& generation) {
  test::write_json(path / "generation_config.json", generation);
  return import_marian(path).experiment.decode;
}

TEST_CASE("the most tokens of an output are honoured") {
  const test::TemporaryFolder folder;
  const auto path = opus_folder(opus_model(folder), folder);
  CHECK(searched(path, {{"max_length", 100}}).length_offset == 98);
  CHECK(searched(path, {{"max_new_tokens", 60}}).length_offset == 59);
  CHECK(searched(path, {{"max_length", 100}, {"max_new_tokens", 60}}).length_offset == 59);
}

TEST_CASE("settings of generation without a counterpart are named") {
  const test::TemporaryFolder folder;
  const auto path = opus_folder(opus_model(folder), folder);
  using Settings = std::vector<std::string>;
  const auto ignored = [&](const json& generation) {
    test::write_json(path / "generation_config.json", generation);
    return ignored_marian_settings(path);
  };
  CHECK(ignored(json::object()).empty());
  CHECK(ignored({{"min_length", 0},
                 {"repetition_penalty", 1.0},
                 {"suppress_tokens", json::array()},
                 {"top_k", 50},
                 {"do_sample", false},
                 {"no_repeat_ngram_size", nullptr},
                 {"max_new_tokens", 7},
                 {"num_beams", 2}})
            .empty());
  CHECK(ignored({{"min_length", 5}}) == Settings{"min_length 5"});
  CHECK(ignored({{"no_repeat_ngram_size", 3}}) == Settings{"no_repeat_ngram_size 3"});
  CHECK(ignored({{"repetition_penalty", 1.2}}) == Settings{"repetition_penalty 1.2"});
  CHECK(ignored({{"suppress_tokens", {5, 6}}}) == Settings{"suppress_tokens [5,6]"});
  CHECK(ignored({{"do_sample", true}, {"temperature", 0.7}, {"top_p", 0.9}}) ==
        Settings{"do_sample true", "temperature 0.7", "top_p 0.9"});
  CHECK(ignored({{"early_stopping", true}}) == Settings{"early_stopping true"});
  CHECK(ignored({{"eos_token_id", {0, 7}}}) == Settings{"eos_token_id [0,7]"});
  CHECK(ignored({{"eos_token_id", json::array({0})}}).empty());

  // Older folders have all in config.json; what generation_config.json says of it counts.
  auto config = test::read_json(path / "config.json");
  config["min_length"] = 4;
  test::write_json(path / "config.json", config);
  CHECK(ignored(json::object()) == Settings{"min_length 4"});
  CHECK(ignored({{"min_length", 0}}).empty());
}

TEST_CASE("weights in several files are read as in one") {
  const test::TemporaryFolder folder;
  const auto path = opus_folder(opus_model(folder), folder);
  const auto expected = test::some_logits(import_marian(path).encoder_decoder());
  const auto all = checkpoints::load_safetensors(path / "model.safetensors");
  fs::remove(path / "model.safetensors");
  std::map<std::string, std::vector<std::pair<std::string, torch::Tensor>>> files;
  json index = {{"metadata", {{"total_size", 1}}}, {"weight_map", json::object()}};
  for (const auto& [name, tensor] : all) {
    const auto file = name.find("encoder") == std::string::npos ? "model-00001-of-00002.safetensors"
                                                                : "model-00002-of-00002.safetensors";
    files[file].emplace_back(name, tensor);
    index["weight_map"][name] = file;
  }
  for (const auto& [name, tensors] : files) checkpoints::save_safetensors(path / name, tensors);
  test::write_json(path / "model.safetensors.index.json", index);
  CHECK(torch::equal(expected, test::some_logits(import_marian(path).encoder_decoder())));

  const auto refusal = [&](const std::string& tensor, const json& file) {
    auto changed = index;
    changed["weight_map"][tensor] = file;
    if (file.is_null()) changed["weight_map"].erase(tensor);
    test::write_json(path / "model.safetensors.index.json", changed);
    try {
      import_marian(path);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  const auto* bias = "final_logits_bias";
  CHECK_THAT(refusal(bias, "../model.safetensors"),
             ContainsSubstring("index.json: key 'weight_map': expected"));
  CHECK_THAT(refusal(bias, 3), ContainsSubstring("index.json: key 'weight_map': expected"));
  CHECK_THAT(refusal(bias, "none.safetensors"), ContainsSubstring("none.safetensors: cannot be read") ||
                                                    ContainsSubstring("holds 'final_logits_bias'"));
  CHECK_THAT(refusal(bias, "model-00002-of-00002.safetensors"),
             ContainsSubstring("holds 'final_logits_bias'"));
  CHECK_THAT(refusal(bias, nullptr), ContainsSubstring("holds 'final_logits_bias'"));
  CHECK_THAT(refusal("absent", "model-00002-of-00002.safetensors"), ContainsSubstring("'absent' is missing"));
  test::write_json(path / "model.safetensors.index.json", {{"metadata", 3}});
  CHECK_THROWS_WITH(import_marian(path), ContainsSubstring("index.json: key 'weight_map': expected"));
}

TEST_CASE("broken folders are refused in one line that names the file and the key") {
  const test::TemporaryFolder folder;
  const auto model = opus_model(folder);
  const auto refusal = [&](auto&& damage) {
    fs::remove_all(folder.path() / "opus");
    const auto path = opus_folder(model, folder);
    damage(path);
    try {
      import_marian(path);
    } catch (const InputError& error) {
      const std::string text = error.what();
      CHECK(text.starts_with(path.string()));
      CHECK(text.find('\n') == std::string::npos);
      return text.substr(path.string().size());
    }
    return std::string("nothing");
  };
  const auto setting = [&](const char* key, const json& value) {
    return refusal([&](const fs::path& path) {
      auto config = test::read_json(path / "config.json");
      config[key] = value;
      test::write_json(path / "config.json", config);
    });
  };
  const auto vocabulary = [&](auto&& change) {
    return refusal([&](const fs::path& path) {
      auto content = test::read_json(path / "vocab.json");
      change(content);
      test::write_json(path / "vocab.json", content);
    });
  };
  const auto tensors = [&](auto&& change) {
    return refusal([&](const fs::path& path) {
      auto all = checkpoints::load_safetensors(path / "model.safetensors");
      change(all);
      checkpoints::save_safetensors(path / "model.safetensors", {all.begin(), all.end()});
    });
  };
  for (const auto* name : {"config.json", "source.spm", "target.spm", "vocab.json", "model.safetensors"}) {
    CHECK_THAT(refusal([&](const fs::path& path) { fs::remove(path / name); }), ContainsSubstring(name));
    CHECK_THAT(refusal([&](const fs::path& path) { std::ofstream(path / name) << "{broken"; }),
               ContainsSubstring(name));
    CHECK_THAT(refusal([&](const fs::path& path) { std::ofstream(path / name) << "[1, 2]"; }),
               ContainsSubstring(name));
  }
  CHECK_THAT(refusal([&](const fs::path& path) {
               fs::rename(path / "model.safetensors", path / "pytorch_model.bin");
             }),
             ContainsSubstring("pytorch_model.bin: expected a zip archive"));
  CHECK(setting("d_model", "wide") ==
        "/config.json: key 'd_model': expected a whole number from 1 to 1000000, found \"wide\"");
  CHECK(tensors([](auto& all) { all.at("model.shared.weight")[3][2] = NAN; }) ==
        "/model.safetensors: tensor \"model.shared.weight\": expected finite numbers, found nan");
  CHECK_THAT(setting("d_model", 64), ContainsSubstring("'model."));
  CHECK_THAT(setting("d_model", 1000000), ContainsSubstring("weights"));
  CHECK_THAT(setting("encoder_layers", 900), ContainsSubstring("weights"));
  CHECK_THAT(setting("encoder_layers", 3), ContainsSubstring("layers.2.") && ContainsSubstring("is missing"));
  CHECK_THAT(setting("encoder_layers", 1), ContainsSubstring("which a Marian model of config.json has not"));
  CHECK_THAT(setting("encoder_attention_heads", 8), ContainsSubstring("'decoder_attention_heads'"));
  CHECK_THAT(setting("decoder_ffn_dim", 7), ContainsSubstring("'decoder_ffn_dim': expected 48"));
  CHECK_THAT(setting("scale_embedding", false), ContainsSubstring("'scale_embedding': expected true"));
  CHECK_THAT(setting("activation_function", "gelu_new"), ContainsSubstring("'activation_function'"));
  CHECK_THAT(setting("model_type", "bart"), ContainsSubstring("'model_type': expected marian"));
  CHECK_THAT(setting("eos_token_id", nullptr), ContainsSubstring("found nothing"));
  CHECK_THAT(setting("eos_token_id", 5), ContainsSubstring("vocab.json: expected 5 for '</s>'"));
  CHECK_THAT(setting("pad_token_id", kPieces), ContainsSubstring("'pad_token_id'"));
  CHECK_THAT(setting("vocab_size", kPieces), ContainsSubstring("'decoder_vocab_size'"));
  CHECK_THAT(setting("bad_words_ids", json{{7}}), ContainsSubstring("'bad_words_ids'"));
  CHECK_THAT(setting("forced_bos_token_id", 7), ContainsSubstring("'forced_bos_token_id'"));
  CHECK_THAT(setting("dropout", 1.5), ContainsSubstring("'dropout'"));
  CHECK_THAT(setting("num_beams", 0), ContainsSubstring("'num_beams'"));
  CHECK_THAT(vocabulary([](json& v) { v.erase("</s>"); }), ContainsSubstring("expected 119 pieces"));
  CHECK_THAT(vocabulary([](json& v) { v["more"] = 119; }), ContainsSubstring("found 120"));
  CHECK_THAT(vocabulary([](json& v) { v["</s>"] = 1; }), ContainsSubstring("expected an id for one piece"));
  CHECK_THAT(vocabulary([](json& v) { v["</s>"] = 119; }), ContainsSubstring("key '</s>'"));
  CHECK_THAT(vocabulary([](json& v) { v["</s>"] = "x"; }), ContainsSubstring("key '</s>'"));
  CHECK_THAT(vocabulary([](json& v) { v["x"] = v["<unk>"], v.erase("<unk>"); }),
             ContainsSubstring("expected the special token '<unk>'"));
  CHECK(tensors([](auto& all) { all["lm_head.weight"] = all.at("model.shared.weight") + 0.5; }) ==
        "/model.safetensors: 'lm_head.weight': expected the very numbers of the matrix that config.json ties "
        "it "
        "to, found others");
  CHECK_THAT(tensors([](auto& all) {
               all["model.encoder.embed_tokens.weight"] = all.at("model.shared.weight").slice(0, 1).clone();
             }),
             ContainsSubstring("'model.encoder.embed_tokens.weight' should be"));
  CHECK(tensors([](auto& all) { all["lm_head.weight"] = all.at("model.shared.weight").clone(); }) ==
        "nothing");
  const auto untied = [&](const char* repeated, double more) {  // one embedding, and an output of its own
    return refusal([&](const fs::path& path) {
      auto config = test::read_json(path / "config.json");
      config["tie_word_embeddings"] = false;
      test::write_json(path / "config.json", config);
      auto all = checkpoints::load_safetensors(path / "model.safetensors");
      const auto shared = all.at("model.shared.weight");
      all["lm_head.weight"] = shared + 0.5;
      all["model.encoder.embed_tokens.weight"] = shared.clone();
      all[repeated] = shared + more;
      checkpoints::save_safetensors(path / "model.safetensors", {all.begin(), all.end()});
    });
  };
  for (const auto* repeated : {"model.decoder.embed_tokens.weight", "model.shared.weight"}) {
    CHECK(untied(repeated, 0) == "nothing");
    CHECK_THAT(untied(repeated, 0.25), ContainsSubstring(repeated) && ContainsSubstring("the very numbers"));
  }
  CHECK_THAT(setting("transformer_stored_positions", true),
             ContainsSubstring("'model.encoder.embed_positions.weight' is missing"));
  CHECK_THAT(setting("transformer_candidates", "thrice"), ContainsSubstring("'transformer_candidates'"));
  using Tensors = std::map<std::string, torch::Tensor>;
  CHECK_THAT(tensors([](Tensors& t) { t.erase("model.shared.weight"); }), ContainsSubstring("is missing"));
  CHECK_THAT(tensors([](Tensors& t) {
               t["model.shared.weight"] = torch::zeros({3, 3});
             }),
             ContainsSubstring("[119, 32]"));
  CHECK_THAT(
      tensors([](Tensors& t) { t["model.decoder.layers.0.fc1.bias"] = torch::zeros({48}, torch::kLong); }),
      ContainsSubstring("floating-point"));
  CHECK_THAT(tensors([](Tensors& t) { t["final_logits_bias"] = torch::zeros({119}); }),
             ContainsSubstring("final_logits_bias"));
}

}  // namespace
}  // namespace transformer::formats
