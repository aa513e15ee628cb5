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

/// A search with one open hypothesis. A step takes its best `taken` continuations. Finished ones are set
/// aside, the best of the others goes on, and the search ends when there is none. Returns the best of those
/// set aside.
Hypothesis take_best(std::size_t sentence, std::int64_t limit, std::ptrdiff_t taken,
                     const DecodeOptions& options) {
  Hypothesis best{.score = -std::numeric_limits<double>::infinity()};
  Ids ids;
  for (double log_probability = 0;;) {
    const auto length = static_cast<std::int64_t>(ids.size());
    const auto all = next(sentence, ids);
    std::vector<std::int32_t> order{kEos};
    if (length < limit)
      for (std::int32_t token = 0; token < kVocabulary; ++token)
        if (token != kPad && token != kBos && token != kEos) order.push_back(token);
    std::ranges::sort(order, std::ranges::greater(),
                      [&](auto token) { return all[static_cast<std::size_t>(token)]; });
    order.resize(std::min(order.size(), static_cast<std::size_t>(taken)));
    const double end = log_probability + all[kEos], score = end / length_penalty(options, length + 1);
    if (std::ranges::count(order, kEos) > 0 && score > best.score) best = {ids, score, end, length < limit};
    std::erase(order, kEos);
    if (order.empty()) return best;
    log_probability += all[static_cast<std::size_t>(order[0])];
    ids.push_back(order[0]);
  }
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

TEST_CASE("one hypothesis is greedy search under either rule, not the better of two continuations") {
  const auto candidates = GENERATE(Candidates::twice, Candidates::beam);
  const auto penalty = GENERATE(LengthPenalty::gnmt, LengthPenalty::length);
  const std::vector<std::int64_t> limits(25, 8);
  int other = 0;  // sentences in which two continuations a step, as 2 · beam would be, find something else
  for (const double alpha : {0.0, 0.6, 2.0}) {
    const DecodeOptions options{
        .beam = 1, .candidates = candidates, .alpha = alpha, .length_penalty = penalty};
    const auto found = beam_search(limits, options, Steps(), {});
    for (std::size_t i = 0; i < limits.size(); ++i) {
      const auto greedy = take_best(i, limits[i], 1, options);
      REQUIRE(found[i].size() == 1);
      CHECK(found[i][0].ids == greedy.ids);
      CHECK(found[i][0].score == Approx(greedy.score).margin(1e-5));
      if (take_best(i, limits[i], 2, options).ids != greedy.ids) ++other;
    }
  }
  CHECK(other > 0);
}

TEST_CASE("outputs begin with their prefixes, whose probabilities count") {
  const std::vector<std::int64_t> limits{4, 4, 2, 4};
  const std::vector<Ids> prefixes{{4}, {}, {5, 6}, {6, 5}};
  const auto candidates = GENERATE(Candidates::twice, Candidates::beam);
  const DecodeOptions wide{.beam = 600, .candidates = candidates, .nbest = 5};
  const auto found = beam_search(limits, wide, Steps(), {}, {}, {.prefixes = prefixes});
  for (std::size_t i = 0; i < limits.size(); ++i) {
    auto expected = all_outputs(i, limits[i], wide);
    std::erase_if(expected, [&](const Hypothesis& one) {
      return one.ids.size() < prefixes[i].size() ||
             !std::equal(prefixes[i].begin(), prefixes[i].end(), one.ids.begin());
    });
    REQUIRE(found[i].size() == std::min<std::size_t>(expected.size(), 5));
    for (std::size_t n = 0; n < found[i].size(); ++n) {
      CAPTURE(i, n);
      CHECK(found[i][n].ids == expected[n].ids);
      CHECK(found[i][n].score == Approx(expected[n].score).margin(1e-5));
    }
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
