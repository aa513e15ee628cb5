#include "transformer/translation/device_steps.h"

#include <limits>

#include "tests/catch.h"
#include "tests/engine/models.h"
#include "tests/translation/toy_model.h"
#include "transformer/base/error.h"
#include "transformer/runtime/device.h"
#include "transformer/search/beam_search.h"
#include "transformer/translation/module_steps.h"

using namespace transformer;
using search::Candidates;
using search::DecodeOptions;
using search::LengthPenalty;

namespace {

const std::vector<double> kAlphas{0.0, 0.6, 1.5};

/// Those of the engine's models that steps on a device compute. (tests/options has those that they decline.)
std::vector<test::ModelCase> computed_cases() {
  auto cases = test::model_cases();
  std::erase_if(cases, [](const test::ModelCase& one) {
    return translation::DeviceSteps::unsupported(one.options, {}).has_value();
  });
  return cases;
}

/// Both must find the same outputs in the same order under each of kAlphas, with scores equal up to rounding.
void check_equal(models::EncoderDecoder& model, const torch::Tensor& sources, const DecodeOptions& options,
                 double rounding = 1e-5) {
  const translation::SearchMode mode(model);
  const auto limits = translation::length_limits(*model, sources, options);
  const auto found = search::beam_search_alphas(
      limits, options, kAlphas, translation::DeviceSteps(model, sources, limits, options), {});
  const auto expected =
      search::beam_search_alphas(limits, options, kAlphas, translation::ModuleSteps(model, sources), {});
  for (std::size_t alpha = 0; alpha < kAlphas.size(); ++alpha) {
    for (std::size_t row = 0; row < limits.size(); ++row) {
      CAPTURE(alpha, row);
      const auto &one = found[alpha][row], &other = expected[alpha][row];
      REQUIRE(one.size() == other.size());
      for (std::size_t i = 0; i < one.size(); ++i) {
        CHECK(one[i].ids == other[i].ids);
        CHECK(one[i].finished == other[i].finished);
        CHECK(one[i].score == Approx(other[i].score).margin(rounding));
        CHECK(one[i].log_probability == Approx(other[i].log_probability).margin(rounding));
      }
    }
  }
}

}  // namespace

// Models compute in fp64, and the search sees fp32. Two hypotheses that rounding could exchange are rare
// then.
TEST_CASE("steps on a device find what the modules find, for every kind of model") {
  auto cases = computed_cases();
  cases.push_back({"bias", cases.front().options});
  cases.back().options.positions = nn::Positions::bias;
  const auto candidates = GENERATE(Candidates::twice, Candidates::beam);
  for (const auto& [name, options] : cases) {
    INFO(name);
    auto model = test::random_model(options, 40, 3);
    model->to(torch::kDouble);
    const auto sources = test::random_sources(4, {5, 0, 9, 1, 12, 5, 3, 3, 17, 2}, 40);
    for (auto search :
         {DecodeOptions{.beam = 1, .length_offset = 8}, DecodeOptions{.beam = 4, .nbest = 3},
          DecodeOptions{.beam = 3, .length_offset = 20}, DecodeOptions{.beam = 7, .length_offset = 0},
          DecodeOptions{.beam = 16, .length_offset = 2, .nbest = 16}}) {
      INFO("beam " << search.beam);
      search.candidates = candidates;
      search.length_penalty = search.beam % 2 == 0 ? LengthPenalty::gnmt : LengthPenalty::length;
      check_equal(model, sources, search);
    }
  }
}

TEST_CASE("steps on a device find what the modules find, whatever the weights and the vocabulary") {
  const auto candidates = GENERATE(Candidates::twice, Candidates::beam);
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    // The smallest vocabularies have hardly as many tokens as a step takes continuations.
    auto model = test::toy_model(seed, static_cast<std::int64_t>(5 + seed % 4 * seed));
    model->to(torch::kDouble);
    const auto sources = test::random_sources(seed + 100, {static_cast<std::int64_t>(seed % 7), 3, 8, 0},
                                              model->vocabulary().target);
    check_equal(model, sources,
                {.beam = static_cast<std::int64_t>(1 + seed % 6),
                 .candidates = candidates,
                 .length_offset = static_cast<std::int64_t>(seed % 13),
                 .nbest = static_cast<std::int64_t>(1 + seed % 6)});
  }
}

TEST_CASE("steps on a device find in fp32 what the modules find") {
  for (const auto& [name, options] : computed_cases()) {
    INFO(name);
    auto model = test::random_model(options, 40, 3);
    check_equal(model, test::random_sources(4, {5, 0, 9, 1, 12, 5}, 40), {.beam = 4, .nbest = 3});
  }
}

TEST_CASE("of equally probable hypotheses steps on a device keep those that the modules keep") {
  const auto candidates = GENERATE(Candidates::twice, Candidates::beam);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    CAPTURE(seed);
    torch::manual_seed(seed);
    models::ModelOptions options = test::model_cases().front().options;
    options.output_bias = true;
    options.tie = nn::Tie::none;
    models::EncoderDecoder model(options, models::VocabularySizes{20, 20});
    const torch::NoGradGuard no_grad;
    model->output->weight.zero_();  // each token as probable after one hypothesis as after another
    model->output_bias.copy_(torch::randint(0, 3, {20}));
    check_equal(model, test::random_sources(seed, {3, 5, 0}, 20),
                {.beam = 4, .candidates = candidates, .length_offset = 6, .nbest = 4}, 0.0);
  }
}

TEST_CASE("steps on a device find in bf16 hypotheses of about the same score") {
  auto model = test::random_model(test::model_cases().front().options, 40, 5);
  const auto sources = test::random_sources(6, {5, 0, 9}, 40);
  const DecodeOptions options{.beam = 4, .length_offset = 6, .nbest = 2};
  const auto best_score = [&](auto&& steps) {
    const translation::SearchMode mode(model);
    return search::beam_search(translation::length_limits(*model, sources, options), options, steps, {})[0][0]
        .score;
  };
  const auto limits = translation::length_limits(*model, sources, options);
  const auto exact = best_score(translation::ModuleSteps(model, sources));
  {
    const runtime::PrecisionScope scope(torch::kBFloat16);
    CHECK(best_score(translation::DeviceSteps(model, sources, limits, options)) ==
          Approx(exact).epsilon(0.1));
  }
  model->to(torch::kBFloat16);
  CHECK(best_score(translation::DeviceSteps(model, sources, limits, options)) == Approx(exact).epsilon(0.1));
}

TEST_CASE("steps on a device survive a model that computes nothing but NaN") {
  auto model = test::toy_model(1, 9);
  const torch::NoGradGuard no_grad;
  for (auto& parameter : model->parameters()) parameter.fill_(std::numeric_limits<float>::quiet_NaN());
  const auto sources = test::random_sources(2, {3, 1}, 9);
  const auto candidates = GENERATE(Candidates::twice, Candidates::beam);
  const DecodeOptions options{.beam = 3, .candidates = candidates, .length_offset = 2, .nbest = 2};
  const auto limits = translation::length_limits(*model, sources, options);
  const auto search = [&](const search::Step& steps) {
    return search::beam_search(limits, options, steps, {});
  };
  const auto found = search(translation::DeviceSteps(model, sources, limits, options));
  const auto expected = search(translation::ModuleSteps(model, sources));
  for (std::size_t row = 0; row < found.size(); ++row) {
    REQUIRE_FALSE(found[row].empty());
    REQUIRE(found[row].size() == expected[row].size());
    for (std::size_t i = 0; i < found[row].size(); ++i) CHECK(found[row][i].ids == expected[row][i].ids);
  }
}

TEST_CASE("steps on a device say what they do not know, and when the search goes another way") {
  models::ModelOptions options;
  CHECK_FALSE(translation::DeviceSteps::unsupported(options, {}).has_value());
  CHECK(translation::DeviceSteps::unsupported(options, {.beam = 17}) == "decode.beam: 17");
  options.variants.attention.name = "sloped";
  CHECK(translation::DeviceSteps::unsupported(options, {}) == "model.variants.attention: sloped");

  auto model = test::toy_model(1, 20);
  const translation::SearchMode mode(model);
  const auto sources = test::random_sources(2, {4}, 20);
  translation::DeviceSteps steps(model, sources, {9}, {.beam = 2});
  search::Continuations best;
  steps({{kBos}, {0}, {0}, {search::kAnyToken}}, 4, best);
  const auto other = static_cast<std::int32_t>(best.tokens[0] == 10 ? 11 : 10);
  CHECK_THROWS_AS(steps({{other}, {0}, {0}, {search::kAnyToken}}, 4, best), RunError);
}
