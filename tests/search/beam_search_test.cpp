// The search by itself, without a model: what follows a hypothesis is a function of all its tokens.
#include "transformer/search/beam_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/catch.h"
#include "tests/search/random_steps.h"
#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"
#include "transformer/search/lengths.h"

namespace transformer::search {
namespace {

using test::Ids;
using test::kVocabulary;
using test::next;
using test::Steps;

/// Every output of at most `limit` tokens, best first.
std::vector<Hypothesis> all_outputs(std::size_t sentence, std::int64_t limit, const DecodeOptions& options) {
  std::vector<std::pair<Ids, double>> open{{{}, 0.0}};
  std::vector<Hypothesis> outputs;
  for (std::size_t i = 0; i < open.size(); ++i) {
    const auto [ids, log_probability] = open[i];
    const auto all = next(sentence, ids);
    const auto length = static_cast<std::int64_t>(ids.size());
    const double end = log_probability + all[kEos];
    outputs.push_back({ids, end / length_penalty(options, length + 1), end, length < limit});
    if (length == limit) continue;
    for (std::int32_t token = 0; token < kVocabulary; ++token) {
      if (token == kPad || token == kBos || token == kEos) continue;
      open.emplace_back(ids, log_probability + all[static_cast<std::size_t>(token)]);
      open.back().first.push_back(token);
    }
  }
  std::ranges::stable_sort(outputs, std::ranges::greater(), &Hypothesis::score);
  return outputs;
}

}  // namespace

TEST_CASE("a beam as wide as there are outputs finds the best ones") {
  const auto candidates = GENERATE(Candidates::twice, Candidates::beam);
  const auto penalty = GENERATE(LengthPenalty::gnmt, LengthPenalty::length);
  const std::vector<std::int64_t> limits{3, 0, 4, 1};
  DecodeOptions options{.beam = 600, .candidates = candidates, .length_penalty = penalty, .nbest = 5};
  const std::vector<double> alphas{0.0, 0.6, 1.0};
  const auto found = beam_search_alphas(limits, options, alphas, Steps(), {});
  for (std::size_t a = 0; a < alphas.size(); ++a) {
    options.alpha = alphas[a];
    CHECK(found[a].size() == limits.size());
    for (std::size_t i = 0; i < limits.size(); ++i) {
      const auto expected = all_outputs(i, limits[i], options);
      REQUIRE(found[a][i].size() == std::min<std::size_t>(expected.size(), 5));
      for (std::size_t n = 0; n < found[a][i].size(); ++n) {
        CAPTURE(alphas[a], i, n);
        CHECK(found[a][i][n].ids == expected[n].ids);
        CHECK(found[a][i][n].score == Approx(expected[n].score).margin(1e-5));
        CHECK(found[a][i][n].finished == expected[n].finished);
      }
    }
  }
}

TEST_CASE("one hypothesis is greedy search") {
  const std::vector<std::int64_t> limits{6, 2, 9};
  const auto found = beam_search(limits, {.beam = 1}, Steps(), {});
  for (std::size_t i = 0; i < limits.size(); ++i) {
    Ids ids;
    while (static_cast<std::int64_t>(ids.size()) < limits[i]) {
      auto all = next(i, ids);
      all[kPad] = all[kBos] = -std::numeric_limits<double>::infinity();
      const auto best = std::max_element(all.begin(), all.end()) - all.begin();
      if (best == kEos) break;
      ids.push_back(static_cast<std::int32_t>(best));
    }
    CHECK(found[i].at(0).ids == ids);
  }
}

TEST_CASE("what the beam cannot hold is refused, and who is asked before each step may stop it") {
  CHECK_THROWS_AS(beam_search({3}, {.beam = 2, .nbest = 3}, Steps(), {}), InputError);
  CHECK_THROWS_AS(beam_search({3}, {.beam = 2, .nbest = 0}, Steps(), {}), InputError);
  int steps = 0;
  CHECK_THROWS_AS(beam_search({9}, {.beam = 2, .nbest = 2}, Steps(),
                              [&] {
                                if (++steps == 3) throw InputError("enough");
                              }),
                  InputError);
  CHECK(steps == 3);
}

}  // namespace transformer::search
