#include "transformer/formats/torchscript/torchscript.h"

#include <torch/script.h>

#include "tests/formats/exported_model.h"
#include "transformer/formats/continuation.h"
#include "transformer/formats/torchscript/torchscript_module.h"
#include "transformer/models/kinds.h"
#include "transformer/translation/model_search.h"
#include "transformer/variants/choice.h"

using namespace transformer;
using models::ModelOptions;

namespace {

constexpr std::int64_t kVocabulary = 23;

/// As an export has it: without gradients.
models::EncoderDecoder random_model(const ModelOptions& options,
                                    const models::VocabularySizes& vocabulary = {kVocabulary, kVocabulary}) {
  auto model = test::random_model(options, vocabulary);
  for (auto& parameter : model->parameters()) parameter.set_requires_grad(false);
  return model;
}

/// The module as another program gets it.
struct Traced {
  explicit Traced(const models::AnyModel& model, const search::DecodeOptions& options = {}) {
    file = folder.path() / "model.pt";
    formats::torchscript_module(model, options).save(file.string());
    module = torch::jit::load(file.string());
  }
  /// ids (B, T) and scores (B)
  std::pair<torch::Tensor, torch::Tensor> translate(const std::vector<torch::jit::IValue>& arguments) {
    const auto results = module.get_method("translate")(arguments).toTuple();
    return {results->elements()[0].toTensor(), results->elements()[1].toTensor()};
  }

  test::TemporaryFolder folder;
  std::filesystem::path file;
  torch::jit::Module module;
};

formats::Sample sample() {
  formats::Sample sample{"random tokens", {}};
  torch::manual_seed(3);
  for (const std::int64_t length : {1, 9, 4, 17, 2, 6, 13}) {
    const auto ids = torch::randint(kEos + 1, kVocabulary, {length}, torch::kInt);
    sample.sentences.emplace_back(ids.data_ptr<std::int32_t>(), ids.data_ptr<std::int32_t>() + length);
  }
  return sample;
}

void check(const models::AnyModel& model, double tolerance, const search::DecodeOptions& options = {}) {
  const Traced exported(model, options);
  const auto proof = formats::prove(model, formats::read_torchscript(exported.file, torch::kCPU), sample(),
                                    options, tolerance);
  INFO(proof.table());
  CHECK(proof.holds());
}

torch::Tensor lengths_of(const torch::Tensor& source) {
  return source.ne(kPad).sum(1);
}

}  // namespace

TEST_CASE("a traced model is the model, whatever its configuration") {
  for (const auto& [name, options] : test::variants()) {
    INFO(name);
    check(random_model(options), 1e-4);
  }
  auto untied = test::small_options();
  untied.tie = nn::Tie::none;
  check(random_model(untied, {kVocabulary, kVocabulary + 6}), 1e-4);
}

TEST_CASE("a recurrent model leaves as a trace of its modules, whatever its options") {
  for (const auto* kind : {"recurrent", "recurrent cell=lstm bidirectional=false",
                           "recurrent attention=product reverse_source=true",
                           "recurrent cell=lstm attention=product input_feeding=true",
                           "recurrent attention=none reverse_source=true"}) {
    INFO(kind);
    torch::manual_seed(7);
    auto model = models::make({.kind = *variants::parse(kind),
                               .encoder_layers = 2,
                               .decoder_layers = 3,
                               .d_model = 16,
                               .output_bias = true},
                              {kVocabulary, kVocabulary});
    model->eval();
    for (auto& parameter : model->parameters()) parameter.set_requires_grad(false).mul_(2);
    check(model, 1e-4);
    const Traced exported(model);
    for (const auto* method : {"start", "decode_step"}) {
      auto graph = exported.module.get_method(method).graph()->toString();
      // Lengths of packed sequences are the host's, wherever the weights are.
      if (std::string(method) == "start") graph.replace(graph.find("Device = prim::Constant"), 6, "");
      CHECK_THAT(graph, !ContainsSubstring("Device = prim::Constant"));
    }
  }
}

TEST_CASE("a language model leaves as a trace of its modules, which runs where its weights are") {
  auto all = test::variants();
  all.emplace_back("Llama's", test::llama_options());
  for (const auto& [name, options] : all) {
    INFO(name);
    auto model = test::random_language_model(options, kVocabulary);
    for (auto& parameter : model->parameters()) parameter.set_requires_grad(false);
    check(model, 1e-4);
    const Traced exported(model);
    for (const auto* method : {"logits", "start", "decode_step"}) {
      const auto graph = exported.module.get_method(method).graph()->toString();
      CHECK_THAT(graph, !ContainsSubstring("Device = prim::Constant"));
    }
  }
}

TEST_CASE("a traced language model writes several texts at once, each to its own end") {
  auto options = test::llama_options();
  auto model = test::random_language_model(options, kVocabulary);
  for (auto& parameter : model->parameters()) parameter.set_requires_grad(false);
  const Traced exported(model);
  const auto text = torch::tensor({{kBos, 5, 9}, {kBos, 11, 6}, {kBos, 20, 4}, {kBos, 8, 8}});
  const auto generate = [&](const std::vector<torch::jit::IValue>& arguments) {
    return exported.module.get_method("generate")(arguments).toTensor();
  };
  const auto together = generate({text, 20});
  for (std::int64_t row = 0; row < text.size(0); ++row) {
    const auto expected =
        formats::continue_greedily(models::language_model(*model), text.narrow(0, row, 1), 20).ids;
    const auto found = together[row].masked_select(together[row].ne(kPad)).to(torch::kInt);
    CHECK(std::vector(found.data_ptr<int>(), found.data_ptr<int>() + found.numel()) == expected);
  }
  CHECK(generate({text, 0}).size(1) == 0);
  // The most probable token alone is left.
  CHECK(torch::equal(generate({text, 20, 0.8, 1}), together));
  torch::manual_seed(1);
  const auto drawn = generate({text, 20, 1.5, 0});
  CHECK_FALSE(torch::equal(drawn, together));
  CHECK_FALSE(drawn.eq(kBos).any().item<bool>());
  CHECK_THROWS_WITH(generate({text.slice(1, 0, 0)}), ContainsSubstring("what texts begin with"));
  CHECK_THROWS_WITH(generate({text.to(torch::kInt)}), ContainsSubstring("text: expected int64 ids"));
}

TEST_CASE("learned positions end a traced text") {
  auto options = test::small_options();
  options.positions = nn::Positions::learned;
  options.max_positions = 8;
  auto model = test::random_language_model(options, kVocabulary);
  const torch::NoGradGuard none;
  for (auto& parameter : model->parameters()) parameter.set_requires_grad(false);
  model->as_language_model()->projection().weight[kEos].zero_();
  const Traced exported(model);
  const auto generate = [&](std::int64_t length) {
    const auto text = torch::full({1, length}, 9, torch::kLong);
    return exported.module.get_method("generate")({text, 100}).toTensor();
  };
  CHECK(generate(3).size(1) <= 6);
  CHECK(generate(8).size(1) <= 1);
  CHECK_THROWS_WITH(generate(9), ContainsSubstring("longer than the model's learned positions"));
}

TEST_CASE("a traced model in bf16 is the model in bf16") {
  for (const auto norm : {nn::NormPlacement::post, nn::NormPlacement::pre}) {
    auto options = test::small_options();
    options.norm = norm;
    auto model = random_model(options);
    model->to(torch::kBFloat16);
    const Traced exported(model);
    const auto proof =
        formats::prove(model, formats::read_torchscript(exported.file, torch::kCPU), sample(), {}, 0.25);
    CHECK(proof.logit_difference < 0.25);
  }
}

TEST_CASE("a trace names no device: it runs where its weights are") {
  for (const auto& [name, options] : test::variants()) {
    INFO(name);
    auto model = random_model(options);
    const Traced exported(model);
    for (const auto* method : {"encode", "start", "decode_step"}) {
      const auto graph = exported.module.get_method(method).graph()->toString();
      CHECK_THAT(graph, !ContainsSubstring("Device = prim::Constant"));
    }
  }
}

TEST_CASE("a traced search keeps to the options of the model's own") {
  auto model = random_model(test::small_options());
  const auto candidates = GENERATE(search::Candidates::twice, search::Candidates::beam);
  for (const auto penalty : {search::LengthPenalty::gnmt, search::LengthPenalty::length}) {
    for (const double alpha : {0.0, 0.6, 2.0}) {
      INFO("alpha " << alpha);
      check(model, 1e-4,
            {.beam = 5,
             .candidates = candidates,
             .alpha = alpha,
             .length_penalty = penalty,
             .length_offset = alpha > 1 ? 3 : 20});
    }
  }
  check(model, 1e-4, {.beam = kVocabulary + 2, .alpha = 1.0, .length_offset = -2});
  check(model, 1e-4, {.beam = 1, .candidates = candidates, .alpha = 1.0});
}

TEST_CASE("learned positions limit what a traced search writes and reads") {
  auto options = test::small_options();
  options.positions = nn::Positions::learned;
  options.max_positions = 8;
  auto model = random_model(options);
  Traced exported(model);
  const auto source = test::random_sources(1, {7, 3}, kVocabulary);
  const auto [ids, scores] = exported.translate({source, lengths_of(source), 4, 0.6, 0});
  CHECK(ids.size(1) <= 7);
  const auto found = translation::beam_search(model, source.slice(0, 0, 1), {})[0];
  CHECK(scores[0].item<double>() == Approx(found[0].front().score).epsilon(1e-5));
  const auto longer = test::random_sources(1, {8}, kVocabulary);
  CHECK_THROWS_WITH(exported.translate({longer, lengths_of(longer), 4, 0.6, 0}),
                    ContainsSubstring("longer than the model's learned positions"));
}

TEST_CASE("a full disk is an error, and not the end of the process") {
  CHECK_THROWS_WITH(formats::write_torchscript(test::loaded_model(test::small_options()), "/dev/full"),
                    ContainsSubstring("/dev/full: writing failed: No space left on device"));
}

TEST_CASE("a traced search has the beam and alpha of the model where its caller gives none") {
  auto model = random_model(test::small_options());
  Traced exported(model, {.beam = 2, .alpha = 1.0});
  const auto source = test::random_sources(2, {5, 11, 2}, kVocabulary);
  const auto lengths = lengths_of(source);
  const auto [ids, scores] = exported.translate({source, lengths});
  const auto [same, same_scores] = exported.translate({source, lengths, 2, 1.0, 0});
  CHECK(torch::equal(ids, same));
  CHECK(torch::equal(scores, same_scores));
  CHECK_FALSE(torch::equal(scores, exported.translate({source, lengths, 4, 0.6, 0}).second));
}

TEST_CASE("a traced search takes what its caller gives") {
  auto model = random_model(test::small_options());
  Traced exported(model);
  const auto source = test::random_sources(2, {5, 11, 2}, kVocabulary);
  const auto lengths = lengths_of(source);
  const auto [ids, scores] = exported.translate({source, lengths});

  SECTION("defaults") {
    const auto [same, same_scores] = exported.translate({source, lengths, 4, 0.6, 0});
    CHECK(torch::equal(ids, same));
    CHECK(torch::equal(scores, same_scores));
  }
  SECTION("a sentence alone") {
    for (std::int64_t row = 0; row < 3; ++row) {
      const auto [own, own_score] =
          exported.translate({test::alone(source, row), lengths.slice(0, row, row + 1)});
      const auto expected = ids[row].masked_select(ids[row].ne(kPad));
      CHECK(torch::equal(own[0], expected));
      CHECK(own_score[0].item<double>() == Approx(scores[row].item<double>()).epsilon(1e-5));
    }
  }
  SECTION("anything behind a sentence's length") {
    const auto places = torch::arange(source.size(1));
    const auto other = source.masked_fill(places >= lengths.unsqueeze(1), 17);
    const auto wider = torch::cat({other, torch::full({3, 4}, 5, torch::kLong)}, 1);
    CHECK(torch::equal(exported.translate({wider, lengths}).first, ids));
  }
  SECTION("a longest output") {
    const auto [cut, ignored] = exported.translate({source, lengths, 4, 0.6, 2});
    CHECK(cut.size(1) <= 2);
  }
  SECTION("lengths of 32 bits") {
    CHECK(torch::equal(exported.translate({source, lengths.to(torch::kInt)}).first, ids));
  }
  SECTION("no sentence") {
    const auto [none, no_scores] = exported.translate({source.slice(0, 0, 0), lengths.slice(0, 0, 0)});
    CHECK(none.size(0) == 0);
    CHECK(no_scores.size(0) == 0);
  }
  SECTION("what cannot be") {
    CHECK_THROWS_WITH(exported.translate({source, lengths, 0}),
                      ContainsSubstring("beam: expected at least 1"));
    CHECK_THROWS_WITH(exported.translate({source, lengths + 20}),
                      ContainsSubstring("lengths: expected 1 to S"));
    CHECK_THROWS_WITH(exported.translate({source, lengths.slice(0, 1)}),
                      ContainsSubstring("lengths: expected (B)"));
    CHECK_THROWS_WITH(exported.translate({source.to(torch::kInt), lengths}),
                      ContainsSubstring("source: expected int64 ids"));
  }
}
