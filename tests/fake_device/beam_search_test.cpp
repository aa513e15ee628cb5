// Beam search by the modules finds on another device what it finds on the CPU, and hardly ever waits for it.
#include "transformer/search/beam_search.h"

#include "tests/catch.h"
#include "tests/fake_device/tested_device.h"
#include "tests/translation/toy_model.h"
#include "transformer/runtime/device.h"
#include "transformer/runtime/device_choices.h"
#include "transformer/translation/device_steps.h"
#include "transformer/translation/model_search.h"

namespace transformer {
namespace {

namespace fake = test::fake_device;

constexpr std::int64_t kVocabulary = 40;

constexpr nn::Positions kPositions[] = {
    nn::Positions::interleaved, nn::Positions::halves, nn::Positions::tensor2tensor, nn::Positions::learned,
    nn::Positions::rotary,      nn::Positions::bias,   nn::Positions::alibi};

/// How a device computes in half precision: weights of that type, or a PrecisionScope, as in programs.
struct Half {
  const char* name;
  torch::ScalarType weights = torch::kFloat, computed = torch::kFloat;

  bool none() const { return weights == torch::kFloat && computed == torch::kFloat; }
};

constexpr Half kHalves[] = {{"none"},
                            {"weights in bf16", torch::kBFloat16},
                            {"bf16", torch::kFloat, torch::kBFloat16},
                            {"fp16", torch::kFloat, torch::kHalf}};

models::EncoderDecoder random_model(nn::Positions positions, nn::NormPlacement norm, std::int64_t layers) {
  torch::manual_seed(3);
  const models::ModelOptions options{.encoder_layers = 1,
                                     .decoder_layers = layers,
                                     .d_model = 16,
                                     .d_ff = 24,
                                     .heads = 2,
                                     .d_k = 8,
                                     .d_v = 8,
                                     .positions = positions,
                                     .norm = norm,
                                     .max_positions = 90};
  models::EncoderDecoder model(options, models::VocabularySizes{kVocabulary, kVocabulary});
  const torch::NoGradGuard no_gradients;
  for (auto& parameter : model->parameters()) parameter.add_(0.1 * torch::randn_like(parameter));
  model->eval();
  return model;
}

/// While it lives, steps are no graphs.
struct Computed {
  Computed() { runtime::device_choices().graphs = false; }
  ~Computed() { runtime::device_choices().graphs = true; }
  Computed(const Computed&) = delete;
  Computed& operator=(const Computed&) = delete;
};

struct Setting {
  nn::Positions positions;
  nn::NormPlacement norm;
  Half half;
};

/// Every kind of positions with every precision, and with each place of the norm.
std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const auto positions : kPositions) {
    all.push_back({positions, nn::NormPlacement::pre, kHalves[0]});
    for (const auto& half : kHalves) {
      const bool cast = half.computed != torch::kFloat;
      all.push_back({positions, cast ? nn::NormPlacement::pre : nn::NormPlacement::post, half});
    }
  }
  return all;
}

/// As device and precision say. Calls before_step before each step.
search::Found find(models::EncoderDecoder& model, const torch::Tensor& sources,
                   const search::DecodeOptions& options, const Half& half,
                   const search::BeforeStep& before_step = {}) {
  model->to(half.weights);
  runtime::move_to(*model, test::tested_device());
  const runtime::PrecisionScope scope(half.computed);
  return translation::beam_search(model, sources, options, {}, {before_step})[0];
}

}  // namespace

TEST_CASE("a beam search finds on the device what it finds on the CPU", "[device]") {
  const auto sources = test::random_sources(4, {5, 0, 9, 3, 12}, kVocabulary);
  const search::DecodeOptions options{.beam = 4, .length_offset = 20, .nbest = 3};
  for (const auto& [positions, norm, half] : settings()) {
    INFO(nn::name_of(positions) << ' ' << nn::name_of(norm) << ' ' << half.name);
    auto model = random_model(positions, norm, 2), moved = random_model(positions, norm, 2);
    const auto here = translation::beam_search(model, sources, options)[0];
    const auto there = find(moved, sources, options, half);
    REQUIRE(there.size() == here.size());
    for (std::size_t row = 0; row < here.size(); ++row) {
      REQUIRE(there[row].size() == here[row].size());
      for (std::size_t i = 0; i < here[row].size(); ++i) {
        CAPTURE(row, i);
        const auto& hypothesis = there[row][i];
        if (half.none()) CHECK(hypothesis.ids == here[row][i].ids);
        // In half precision the hypothesis may differ; its probability must be right nevertheless.
        const auto source = test::alone(sources, static_cast<std::int64_t>(row));
        CHECK(
            hypothesis.log_probability ==
            Approx(test::log_probability(model, source, hypothesis.ids)).epsilon(half.none() ? 1e-5 : 0.03));
      }
    }
  }
}

TEST_CASE("a computed step of a beam search launches few operations, and the host waits once for several") {
  constexpr auto ahead = static_cast<std::size_t>(translation::DeviceSteps::kStepsAhead);
  const auto sources = test::random_sources(4, {5, 0, 9, 3}, kVocabulary);
  const Computed computed;
  for (const auto& [positions, norm, half] : settings()) {
    INFO(nn::name_of(positions) << ' ' << nn::name_of(norm) << ' ' << half.name);
    auto model = random_model(positions, norm, 6);  // as deep as the paper's base model
    std::vector<fake::Counts> before;               // what was done before each step
    find(model, sources, {.beam = 4, .nbest = 4}, half, [&] {
      before.push_back(fake::counts());
      fake::reset();
    });
    REQUIRE(before.size() > 2 * ahead);
    for (std::size_t step = ahead + 1; step < 2 * ahead; ++step) {
      const auto& counts = before[step + 1];
      INFO("step " << step << ", answered from the log: " << counts.table());
      CHECK(counts.launches + counts.to_device + counts.to_host + counts.waits == 0);
    }
    const auto& counts = before[ahead + 1];
    INFO(ahead << " steps: " << counts.table());
    // Turning queries and keys takes some more of each layer.
    const std::int64_t most = nn::are_rotary(positions) ? 270 : 250;
    CHECK(counts.launches <= most * static_cast<std::int64_t>(ahead));
    CHECK(counts.launches > 100 * static_cast<std::int64_t>(ahead));
    CHECK(counts.to_device == 0);
    CHECK(counts.to_host == 1);
    CHECK(counts.waits == 1);
  }
}

}  // namespace transformer
