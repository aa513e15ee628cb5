#include "transformer/translation/device_beam.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "tests/catch.h"
#include "transformer/base/special_tokens.h"

using namespace transformer;

namespace {

constexpr float kImpossible = -std::numeric_limits<float>::infinity();

struct Candidate {
  float log_probability;
  std::int64_t parent, token;

  bool operator<(const Candidate& other) const {
    return std::tuple(-log_probability, parent, token) <
           std::tuple(-other.log_probability, other.parent, other.token);
  }
};

/// The next open hypotheses of one sentence, by the rules in search/beam_search.h. open: NaN marks a free
/// place.
std::vector<Candidate> open_next(const std::vector<float>& open, const torch::Tensor& log_probabilities,
                                 const torch::Tensor& tokens, bool twice) {
  std::vector<Candidate> all, next;
  for (std::size_t parent = 0; parent < open.size(); ++parent) {
    const auto row = static_cast<std::int64_t>(parent);
    for (std::int64_t i = 0; i < tokens.size(1); ++i) {
      auto value = log_probabilities[row][i].item<float>();
      if (std::isnan(open[parent]) || value == kImpossible) continue;
      if (std::isnan(value)) value = std::numeric_limits<float>::lowest();
      all.push_back({open[parent] + value, row, tokens[row][i].item<std::int64_t>()});
    }
  }
  std::sort(all.begin(), all.end());
  all.resize(std::min(all.size(), (twice ? 2 : 1) * open.size()));
  for (const auto& candidate : all)
    if (candidate.token != kEos && next.size() < open.size()) next.push_back(candidate);
  return next;
}

}  // namespace

TEST_CASE("a device opens the hypotheses that the rules of the search say, of equal ones the same") {
  const auto candidates = GENERATE(search::Candidates::twice, search::Candidates::beam);
  const std::int64_t width = GENERATE(1, 2, 5);
  const std::int64_t sentences = 40, vocabulary = 9;
  const search::DecodeOptions options{.beam = width, .candidates = candidates};
  const bool twice = !translation::ends_take_places(options);
  const auto taken = std::min(twice ? 2 * width : width, vocabulary);
  torch::manual_seed(static_cast<std::uint64_t>(width));
  // Few different values, so that many are equal; some are impossible, some not even numbers.
  auto all = torch::randint(-4, 0, {sentences, width, vocabulary}).to(torch::kFloat) / 3;
  all.index_put_({torch::rand(all.sizes()) < 0.2}, kImpossible);
  all.index_put_({torch::rand(all.sizes()) < 0.05}, std::numeric_limits<float>::quiet_NaN());
  auto costs = translation::first_costs(sentences, width, torch::kCPU);
  for (int round = 0; round < 4; ++round) {
    translation::StepLog log(3, sentences, width, taken, torch::kCPU);
    auto step = log.at(1);
    const auto [values, tokens] = all.roll(round, 0).topk(taken, 2);
    step.log_probabilities.copy_(values);
    step.continuations.copy_(tokens);
    translation::choose_open(costs, !twice, step);
    const auto read = log.to_host().at(1);
    std::size_t hypotheses = 0;
    for (std::int64_t sentence = 0; sentence < sentences; ++sentence) {
      CAPTURE(round, sentence);
      std::vector<float> open;
      for (std::int64_t w = 0; w < width; ++w) open.push_back(-costs[sentence][w].item<float>());
      const auto expected = open_next(open, values[sentence], tokens[sentence], twice);
      hypotheses += expected.size();
      std::size_t found = 0;
      for (std::int64_t w = 0; w < width; ++w) {
        const auto cost = read.costs[sentence][w].item<float>();
        if (std::isnan(cost)) continue;
        REQUIRE(found < expected.size());
        CHECK(-cost == expected[found].log_probability);
        CHECK(read.tokens[sentence][w].item<std::int64_t>() == expected[found].token);
        CHECK(read.parents[sentence][w].item<std::int64_t>() == expected[found].parent);
        ++found;
      }
      CHECK(found == expected.size());
    }
    CHECK(hypotheses > 10);
    costs = read.costs;
  }
}

TEST_CASE("the parts of a log lie beside each other, whatever their sizes") {
  translation::StepLog log(2, 3, 1, 5, torch::kCPU);
  for (std::int64_t i = 0; i < log.steps(); ++i) {
    const auto step = log.at(i);
    const auto number = static_cast<double>(10 * i);
    step.log_probabilities.fill_(number + 1);
    step.continuations.fill_(number + 2);
    step.tokens.fill_(number + 3);
    step.parents.fill_(number + 4);
    step.costs.fill_(number + 5);
  }
  for (std::int64_t i = 0; i < log.steps(); ++i) {
    const auto step = log.at(i);
    const auto number = 10 * i;
    CHECK(step.log_probabilities.sizes() == torch::IntArrayRef({3, 1, 5}));
    CHECK(step.log_probabilities.eq(number + 1).all().item<bool>());
    CHECK(step.continuations.eq(number + 2).all().item<bool>());
    CHECK(step.tokens.eq(number + 3).all().item<bool>());
    CHECK(step.parents.eq(number + 4).all().item<bool>());
    CHECK(step.costs.eq(number + 5).all().item<bool>());
  }
}
