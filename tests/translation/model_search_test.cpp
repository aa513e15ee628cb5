#include "transformer/translation/model_search.h"

#include <set>

#include "tests/catch.h"
#include "tests/cuda.h"
#include "tests/translation/toy_model.h"
#include "transformer/base/error.h"
#include "transformer/runtime/device.h"

using namespace transformer;

namespace {

/// Equal outputs, and scores that agree but for rounding.
void check_equal(const std::vector<search::Hypothesis>& found,
                 const std::vector<search::Hypothesis>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CAPTURE(i);
    CHECK(found[i].ids == expected[i].ids);
    CHECK(found[i].score == Approx(expected[i].score).margin(1e-4));
    CHECK(found[i].log_probability == Approx(expected[i].log_probability).margin(1e-4));
  }
}

}  // namespace

TEST_CASE("a beam as wide as there are outputs finds the best of all") {
  const auto penalty = GENERATE(search::LengthPenalty::gnmt, search::LengthPenalty::length);
  const auto alpha = GENERATE(0.0, 0.6, 2.0);
  // Four tokens may be produced: 1 + 4 + 16 + 64 outputs of at most three.
  auto model = test::toy_model(1, 7);
  const auto sources = test::random_sources(2, {2, 1}, 7);
  for (const std::int64_t nbest : {1, 85}) {
    const search::DecodeOptions options{
        .beam = 85, .alpha = alpha, .length_penalty = penalty, .length_offset = 1, .nbest = nbest};
    const auto found = translation::beam_search(model, sources, options)[0];
    for (const std::int64_t row : {0, 1}) {
      auto expected = test::all_outputs(model, test::alone(sources, row), 3 - row, options);
      expected.resize(std::min(expected.size(), static_cast<std::size_t>(nbest)));
      check_equal(found[static_cast<std::size_t>(row)], expected);
    }
  }
}

TEST_CASE("stopping early finds what a search to the limit finds") {
  const auto candidates = GENERATE(search::Candidates::twice, search::Candidates::beam);
  const auto penalty = GENERATE(search::LengthPenalty::gnmt, search::LengthPenalty::length);
  const auto alpha = GENERATE(0.0, 0.6, 1.5);
  const auto nbest = GENERATE(1, 3);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    auto model = test::toy_model(seed, 12);
    const auto sources = test::random_sources(seed, {3, 6, 1}, 12);
    const search::DecodeOptions options{.beam = 3,
                                        .candidates = candidates,
                                        .alpha = alpha,
                                        .length_penalty = penalty,
                                        .length_offset = 9,
                                        .nbest = nbest};
    const auto found = translation::beam_search(model, sources, options)[0];
    for (std::int64_t row = 0; row < sources.size(0); ++row) {
      CAPTURE(seed, row);
      check_equal(found[static_cast<std::size_t>(row)],
                  test::plain_beam_search(model, test::alone(sources, row), options));
    }
  }
}

TEST_CASE("scores are those of the decoder without a cache") {
  auto model = test::toy_model(5, 20);
  const auto sources = test::random_sources(6, {4, 9, 2}, 20);
  const auto found =
      translation::beam_search(model, sources, {.beam = 4, .length_offset = 10, .nbest = 4})[0];
  for (std::int64_t row = 0; row < sources.size(0); ++row) {
    for (const auto& hypothesis : found[static_cast<std::size_t>(row)]) {
      CHECK(hypothesis.log_probability ==
            Approx(test::log_probability(model, test::alone(sources, row), hypothesis.ids)).margin(1e-4));
    }
  }
}

TEST_CASE("a sentence's hypotheses do not depend on its batch") {
  for (const auto positions : {nn::Positions::interleaved, nn::Positions::learned}) {
    auto model = test::toy_model(7, 30, positions);
    std::vector<std::int64_t> lengths;
    for (std::int64_t i = 0; i < 12; ++i)
      lengths.push_back(i * 7 % 13);  // 0, a source of kEos alone, included
    const auto sources = test::random_sources(8, lengths, 30);
    const search::DecodeOptions options{.beam = 4, .length_offset = 12, .nbest = 4};
    const auto all = translation::beam_search(model, sources, options)[0];
    std::set<std::size_t> output_lengths;
    for (std::int64_t row = 0; row < sources.size(0); ++row) {
      CAPTURE(row);
      const auto& found = all[static_cast<std::size_t>(row)];
      check_equal(translation::beam_search(model, test::alone(sources, row), options)[0][0], found);
      check_equal(translation::beam_search(model, sources.slice(0, row), options)[0][0], found);
      output_lengths.insert(found[0].ids.size());
    }
    CHECK(output_lengths.size() > 2);  // so sentences did leave at different times
  }
}

TEST_CASE("the n best are sorted, distinct, whole and free of special tokens") {
  auto model = test::toy_model(9, 15);
  const auto sources = test::random_sources(10, {5, 3, 8, 0}, 15);
  const auto found = translation::beam_search(model, sources, {.beam = 6, .length_offset = 6, .nbest = 5})[0];
  for (const auto& hypotheses : found) {
    REQUIRE(hypotheses.size() == 5);
    std::set<test::Ids> different;
    for (std::size_t i = 0; i < hypotheses.size(); ++i) {
      different.insert(hypotheses[i].ids);
      if (i > 0) CHECK(hypotheses[i].score <= hypotheses[i - 1].score);
      for (const auto id : hypotheses[i].ids) CHECK((id != kPad && id != kBos && id != kEos));
    }
    CHECK(different.size() == 5);
  }
}

TEST_CASE("outputs keep to the length limit") {
  SECTION("source length + offset; what the limit ended is marked") {
    auto model = test::toy_model(11, 15);
    const torch::NoGradGuard no_grad;
    model->output->weight[kEos].zero_();
    model->output->weight.mul_(3);  // the end token becomes rare
    const auto sources = test::random_sources(12, {5, 0, 2}, 15);
    const auto found =
        translation::beam_search(model, sources, {.beam = 4, .length_offset = 2, .nbest = 4})[0];
    for (std::size_t row = 0; row < found.size(); ++row) {
      const std::size_t limit = std::vector<std::size_t>{7, 2, 4}[row];
      for (const auto& hypothesis : found[row]) {
        CHECK(hypothesis.ids.size() <= limit);
        CHECK(hypothesis.finished == (hypothesis.ids.size() < limit));
      }
      CHECK(std::any_of(found[row].begin(), found[row].end(), [](const auto& h) { return !h.finished; }));
    }
  }
  SECTION("no token at all") {
    auto model = test::toy_model(11, 15);
    const auto found = translation::beam_search(model, test::random_sources(12, {0, 0}, 15),
                                                {.beam = 4, .length_offset = 0})[0];
    for (const auto& hypotheses : found) CHECK(hypotheses.at(0).ids.empty());
  }
  SECTION("learned positions") {
    auto model = test::toy_model(11, 15, nn::Positions::learned, 8);
    const auto found =
        translation::beam_search(model, test::random_sources(12, {5, 7}, 15), {.beam = 4, .nbest = 4})[0];
    for (const auto& hypotheses : found)
      for (const auto& hypothesis : hypotheses) CHECK(hypothesis.ids.size() <= 7);
  }
}

TEST_CASE("a training model searches without dropout and trains again afterwards") {
  auto model = test::toy_model(13, 15);
  const auto sources = test::random_sources(14, {5, 3}, 15);
  const auto expected = translation::beam_search(model, sources, {})[0];
  CHECK_FALSE(model->is_training());
  model->train();
  const auto found = translation::beam_search(model, sources, {})[0];
  CHECK(model->is_training());
  check_equal(found[0], expected[0]);
  model->forward(sources, sources)
      .sum()
      .backward();  // what the search left behind does not disturb gradients
}

TEST_CASE("half precision finds hypotheses of about the same score") {
  auto model = test::toy_model(15, 15);
  const auto sources = test::random_sources(16, {5, 3}, 15);
  const search::DecodeOptions options{.beam = 3, .length_offset = 3, .nbest = 3};
  const auto exact = translation::beam_search(model, sources, options)[0];
  std::vector<std::vector<search::Hypothesis>> found;
  SECTION("a scope of bf16") {
    const runtime::PrecisionScope scope(torch::kBFloat16);
    found = translation::beam_search(model, sources, options)[0];
  }
  SECTION("bf16 weights") {
    model->to(torch::kBFloat16);
    found = translation::beam_search(model, sources, options)[0];
  }
  for (std::size_t row = 0; row < found.size(); ++row)
    CHECK(found[row].at(0).score == Approx(exact[row].at(0).score).epsilon(0.1));
}

TEST_CASE("searching on a CUDA device gives the CPU's results") {
  if (!test::has_cuda) {
    WARN("no CUDA device: skipped");
    return;
  }
  const auto device = runtime::choose_device("cuda");
  auto model = test::toy_model(17, 30);
  const auto sources = test::random_sources(18, {5, 3, 9, 0}, 30);
  const search::DecodeOptions options{.beam = 4, .length_offset = 12, .nbest = 4};
  const auto expected = translation::beam_search(model, sources, options)[0];
  model->to(device);
  const auto found = translation::beam_search(model, sources, options)[0];
  for (std::size_t row = 0; row < found.size(); ++row) check_equal(found[row], expected[row]);
}

TEST_CASE("more hypotheses than the beam holds are refused; no sentences are no trouble") {
  auto model = test::toy_model(1, 7);
  const auto sources = test::random_sources(2, {2}, 7);
  REQUIRE_THROWS_WITH(translation::beam_search(model, sources, {.beam = 4, .nbest = 5}),
                      ContainsSubstring("expected 1 to decode.beam (4), found 5"));
  CHECK(translation::beam_search(model, sources.slice(0, 0, 0), {})[0].empty());
}
