// The decoder's step for a beam whose hypotheses are not moved, beside the step that moves them.
#include "tests/catch.h"
#include "tests/nn/checks.h"
#include "tests/nn/stack.h"
#include "transformer/nn/decoder.h"

using namespace transformer;
using test::difference;

namespace {

constexpr std::int64_t kWidth = 3, kLongest = 50;  // more than there is room for in the beginning

struct Steps {
  nn::Decoder decoder{nullptr};
  nn::DecoderCache moved;
  nn::BeamCache beam;

  explicit Steps(const nn::StackOptions& options) : decoder(test::with_pattern(nn::Decoder(options))) {
    const auto memory = test::pattern({2, 4, 8}, "memory");
    moved = decoder->start(memory, test::source_mask());
    beam = decoder->start_beam(memory, test::source_mask(), kWidth);
  }

  /// Does a step with both, and compares. → (B, W, D)
  torch::Tensor run(std::int64_t position) {
    const auto x = test::pattern({2, 3, 8}, "x " + std::to_string(position)).slice(0, 2 - beam.sentences());
    const auto expected = decoder->step(x, moved), found = decoder->step(x, beam);
    CHECK(difference(found, expected) < 1e-12);
    return found;
  }

  void follow(const torch::Tensor& parents) {
    beam.follow(parents);
    const auto firsts = torch::arange(beam.sentences()).unsqueeze(1) * kWidth;
    moved.select_hypotheses((parents + firsts).flatten());
  }

  void keep_last_sentence() {
    beam.select_sentences(torch::tensor({1}));
    moved.select_sentences(torch::tensor({1}));
    moved.select_hypotheses(torch::arange(kWidth, 2 * kWidth));
  }
};

}  // namespace

TEST_CASE(
    "steps of a beam give what steps give whose hypotheses are moved, as they branch and sentences leave") {
  const torch::NoGradGuard no_gradients;
  const auto positions =
      GENERATE(nn::Positions::interleaved, nn::Positions::rotary, nn::Positions::bias, nn::Positions::alibi);
  const auto norm = GENERATE(nn::NormPlacement::post, nn::NormPlacement::pre);
  const bool bias = GENERATE(true, false);
  INFO(nn::name_of(positions) << ' ' << nn::name_of(norm) << ' ' << bias);
  auto options = test::tiny_stack(norm, 2);
  options.positions = positions;
  options.attention.d_v = 6;
  options.attention.bias = bias;
  Steps steps(options);
  torch::manual_seed(1);
  for (std::int64_t t = 0; t < kLongest; ++t) {
    CAPTURE(t);
    steps.run(t);
    steps.follow(torch::randint(0, kWidth, {steps.beam.sentences(), kWidth}));
    if (t == 20) steps.keep_last_sentence();
  }
  CHECK(steps.beam.length == kLongest);
}

TEST_CASE("a beam's hypotheses see what they descend from and nothing else") {
  const torch::NoGradGuard no_gradients;
  Steps steps(test::tiny_stack(nn::NormPlacement::post));
  steps.run(0);
  steps.follow(torch::tensor({{1, 1, 0}, {0, 1, 2}}));
  steps.run(1);
  steps.follow(torch::tensor({{2, 0, 2}, {0, 1, 2}}));
  const auto seen = steps.beam.visible[0][0].slice(1, 0, 6).eq(0);
  // Columns: position 0 of hypotheses 0, 1, 2, then position 1.
  CHECK(
      torch::equal(seen, torch::tensor({{1, 0, 0, 0, 0, 1}, {0, 1, 0, 1, 0, 0}, {1, 0, 0, 0, 0, 1}}).eq(1)));
  CHECK_FALSE(steps.beam.visible.slice(3, 6).eq(0).any().item<bool>());
}

TEST_CASE("a mask that is added is 0 or -infinity, in rows that fused kernels take as they are") {
  const auto mask = torch::tensor({1, 0, 1, 1, 0}).eq(1).view({1, 1, 1, 5}).expand({2, 1, 3, 5});
  const auto added = nn::added_mask(mask, torch::kBFloat16);
  CHECK(added.scalar_type() == torch::kBFloat16);
  CHECK(torch::equal(added.eq(0), mask));
  CHECK(torch::equal(added.isinf(), mask.logical_not()));
  CHECK(added.stride(2) == 16);
  CHECK(nn::rounded_columns(16) == 16);
  CHECK(nn::rounded_columns(17) == 32);
}
