#include "transformer/formats/marian/marian_export.h"

#include "tests/catch.h"
#include "tests/formats/marian/marian_folder.h"
#include "tests/nn/checks.h"
#include "transformer/base/error.h"
#include "transformer/formats/formats.h"

namespace transformer::formats {
namespace {

namespace fs = std::filesystem;
using nn::Positions;
using nn::Tie;
using Options = models::ModelOptions;

Options changed(void (*change)(Options&)) {
  auto options = test::tiny_options();
  change(options);
  return options;
}

/// Table 3's rows on a small scale, and the choices of `model`.
std::vector<Options> variants() {
  return {
      test::tiny_options(),
      changed([](Options& o) { o.heads = 1, o.d_k = o.d_v = 32; }),
      changed([](Options& o) { o.heads = 16, o.d_k = o.d_v = 2; }),
      changed([](Options& o) { o.d_k = 2; }),
      changed([](Options& o) { o.d_k = 3, o.d_v = 5; }),
      changed([](Options& o) { o.encoder_layers = 1, o.decoder_layers = 3; }),
      changed([](Options& o) { o.d_model = 64, o.d_k = o.d_v = 16; }),
      changed([](Options& o) { o.d_ff = 100; }),
      changed([](Options& o) { o.positions = Positions::learned; }),
      changed([](Options& o) { o.positions = Positions::halves; }),
      changed([](Options& o) { o.positions = Positions::tensor2tensor; }),
      changed([](Options& o) { o.activation = nn::Activation::gelu; }),
      changed([](Options& o) { o.activation = nn::Activation::swish, o.attention_bias = true, o.d_v = 4; }),
      changed([](Options& o) { o.output_bias = true; }),
      changed([](Options& o) { o.tie = Tie::target, o.output_bias = true; }),
      changed([](Options& o) { o.tie = Tie::none, o.attention_bias = true; }),
  };
}

TEST_CASE("what is exported comes back with the same ids and logits") {
  for (const auto& options : variants()) {
    const test::TemporaryFolder folder;
    auto model = test::marian_model(folder, options);
    model.experiment.data.source = "deu";
    model.experiment.data.target = "eng";
    model.experiment.decode = {.beam = 7, .alpha = 0.9, .length_penalty = search::LengthPenalty::length};
    const auto back = import_marian(test::exported(model, folder));
    const auto expected = test::some_logits(model.encoder_decoder());
    CHECK(test::difference(expected, test::some_logits(back.encoder_decoder())) < 1e-6);
    CHECK(expected.abs().max().item<double>() > 1);
    CHECK(back.tokenizers.source == back.tokenizers.target);
    CHECK_FALSE(back.tokenizers.source->has_vocabulary());
    CHECK(back.tokenizers.source->all_pieces() == model.tokenizers.source->all_pieces());
    const auto &found = back.experiment.model, &wanted = model.experiment.model;
    CHECK(found.tie == wanted.tie);
    CHECK(found.output_bias == wanted.output_bias);
    CHECK(found.positions ==
          (wanted.positions == Positions::learned || wanted.positions == Positions::tensor2tensor
               ? Positions::learned
               : Positions::halves));
    CHECK(back.experiment.data.source == "deu");
    CHECK(back.experiment.decode.beam == 7);
    CHECK(back.experiment.decode.alpha == 0.9);
    CHECK(back.experiment.decode.length_penalty == search::LengthPenalty::length);
  }
}

TEST_CASE("a round trip keeps how the model searches") {
  const test::TemporaryFolder folder;
  auto model = test::marian_model(folder, test::tiny_options());
  for (const auto penalty : {search::LengthPenalty::gnmt, search::LengthPenalty::length}) {
    model.experiment.decode = {.beam = 7,
                               .candidates = penalty == search::LengthPenalty::gnmt
                                                 ? search::Candidates::beam
                                                 : search::Candidates::twice,
                               .alpha = 0.9,
                               .length_penalty = penalty,
                               .length_offset = 13};
    const auto path =
        test::exported(model, folder, penalty == search::LengthPenalty::gnmt ? "gnmt" : "length");
    CHECK(import_marian(path).experiment.decode == model.experiment.decode);
    CHECK(ignored_marian_settings(path).empty());
  }
}

TEST_CASE("two vocabularies come back as two") {
  const test::TemporaryFolder folder;
  const auto model = test::marian_model(folder, changed([](Options& o) { o.tie = Tie::target; }), false);
  const auto path = test::exported(model, folder);
  CHECK(test::read_json(path / "tokenizer_config.json").at("separate_vocabs") == true);
  const auto back = import_marian(path);
  CHECK(test::difference(test::some_logits(model.encoder_decoder()),
                         test::some_logits(back.encoder_decoder())) < 1e-6);
  CHECK_FALSE(back.experiment.data.shared_vocabulary);
  CHECK_FALSE(back.tokenizers.target->has_vocabulary());
  CHECK(back.tokenizers.source->all_pieces() == model.tokenizers.source->all_pieces());
  CHECK(back.tokenizers.target->all_pieces() == model.tokenizers.target->all_pieces());
  CHECK(back.tokenizers.source->all_pieces() != back.tokenizers.target->all_pieces());
}

TEST_CASE("the table of formats writes and reads Marian") {
  const test::TemporaryFolder folder;
  const auto model = test::marian_model(folder, test::tiny_options());
  const auto path = folder.path() / "out";
  fs::create_directory(path);
  const auto& all = formats();
  const auto format = std::ranges::find(all, "marian", &Format::name);
  REQUIRE(format != all.end());
  format->write(model, path, "fp32");
  const auto candidate = format->read(path, torch::kCPU);
  auto native = model.encoder_decoder();
  const Sample sample{"some ids", {{10, 20, 30}, {40, 50, 60, 70, 80}, {}}};
  const auto proof = prove(native, candidate, sample, {.length_offset = 10}, 1e-4);
  INFO(proof.table());
  CHECK(proof.holds());
  std::map<std::string, std::string> metadata;
  checkpoints::load_safetensors(path / "model.safetensors", &metadata);
  CHECK(metadata == std::map<std::string, std::string>{{"format", "pt"}});
}

TEST_CASE("what Marian cannot express is refused with its key") {
  const test::TemporaryFolder folder;
  const auto refusal = [&](void (*change)(Options&)) {
    auto model = test::marian_model(folder, test::tiny_options());
    change(model.experiment.model);
    try {
      export_marian(model, folder.path());
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  CHECK(refusal([](Options& o) { o.norm = nn::NormPlacement::pre; }) ==
        "model.norm: expected post for Marian, found pre");
  CHECK(refusal([](Options& o) { o.norm_epsilon = 1e-6; }) ==
        "model.norm_epsilon: expected 1e-05 for Marian, found 1e-06");
  CHECK(refusal([](Options& o) { o.heads = 5; }) ==
        "model.heads: expected a divisor of model.d_model, 32, for Marian, found 5");
  CHECK(refusal([](Options& o) { o.d_k = 9; }) ==
        "model.d_k: expected at most model.d_model / model.heads, 8, for Marian, found 9");
  CHECK(refusal([](Options& o) { o.d_v = 64; }) ==
        "model.d_v: expected at most model.d_model / model.heads, 8, for Marian, found 64");
}

}  // namespace
}  // namespace transformer::formats
