// Drawn outputs, without a model: what follows an output is a function of all its tokens.
#include "transformer/search/draws.h"

#include <algorithm>
#include <cmath>

#include "tests/search/random_steps.h"
#include "transformer/base/error.h"
#include "transformer/search/beam_search.h"

namespace transformer::search {
namespace {

using test::Ids;
using test::kVocabulary;

/// A LogitStep, which knows its outputs by what they continue.
class Logits {
 public:
  std::span<const float> operator()(const StepRows& rows) {
    std::vector<Ids> continued;
    logits_.clear();
    for (std::size_t row = 0; row < rows.size(); ++row) {
      continued.push_back(known_.empty() ? Ids{} : known_.at(static_cast<std::size_t>(rows.parents[row])));
      if (known_.empty())
        CHECK(rows.tokens[row] == kBos);
      else
        continued.back().push_back(rows.tokens[row]);
      for (const auto value : test::next(static_cast<std::size_t>(rows.sentences[row]), continued.back()))
        logits_.push_back(static_cast<float>(value) + 3);
    }
    most_rows = std::max(most_rows, rows.size());
    known_ = std::move(continued);
    return logits_;
  }
  std::size_t most_rows = 0;

 private:
  std::vector<Ids> known_;
  std::vector<float> logits_;
};

/// One output, token by token, by the definition: the distribution of test::next, without padding and begin,
/// and the number that is drawn for its place.
Hypothesis drawn_alone(std::size_t sentence, std::size_t number, std::int64_t sample, std::int64_t limit,
                       std::uint64_t seed, const Ids& prefix) {
  Hypothesis found;
  for (std::int64_t place = 0;; ++place) {
    const auto all = test::next(sentence, found.ids);
    double total = 0;
    for (std::int32_t token = 0; token < kVocabulary; ++token)
      if (token != kPad && token != kBos) total += std::exp(all[static_cast<std::size_t>(token)]);
    auto left = uniform_of(seed, static_cast<std::int64_t>(number), sample, place) * total;
    std::int32_t token = 0;
    if (place < std::ssize(prefix))
      token = prefix[static_cast<std::size_t>(place)];
    else if (place == limit)
      token = kEos;
    else
      for (;; ++token) {
        if (token == kPad || token == kBos) continue;
        left -= std::exp(all[static_cast<std::size_t>(token)]);
        if (left < 0) break;
      }
    found.log_probability += all[static_cast<std::size_t>(token)];
    if (token == kEos) {
      found.finished = place < limit;
      return found;
    }
    found.ids.push_back(token);
  }
}

}  // namespace

TEST_CASE("what is drawn is what its numbers say, alone or beside others, with a beginning or without") {
  const std::vector<std::int64_t> limits{6, 0, 9, 4};
  const std::vector<std::size_t> numbers{7, 2, 11, 0};
  const std::vector<Ids> prefixes{{4, 5}, {}, {}, {6, 6, 4, 5}};
  const bool forced = GENERATE(false, true);
  const Bounds bounds{.prefixes = forced ? std::span(prefixes) : std::span<const Ids>()};
  Logits step;
  const auto found = draw(limits, numbers, {.samples = 5, .seed = 3}, std::ref(step), {}, bounds);
  REQUIRE(found.size() == limits.size());
  std::vector<Ids> different;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    REQUIRE(found[i].size() == 5);
    for (std::int64_t sample = 0; sample < 5; ++sample) {
      CAPTURE(i, sample);
      const auto expected = drawn_alone(i, numbers[i], sample, limits[i], 3, forced ? prefixes[i] : Ids{});
      const auto& one = found[i][static_cast<std::size_t>(sample)];
      CHECK(one.ids == expected.ids);
      CHECK(one.log_probability == Approx(expected.log_probability).margin(1e-5));
      CHECK(one.score == one.log_probability);
      CHECK(one.finished == expected.finished);
      different.push_back(one.ids);
    }
  }
  CHECK(step.most_rows <= 20);
  std::ranges::sort(different);
  different.erase(std::unique(different.begin(), different.end()), different.end());
  CHECK(different.size() > 5);
}

TEST_CASE("at temperature 0 all samples are what greedy search finds") {
  const std::vector<std::int64_t> limits{6, 3, 9};
  const std::vector<std::size_t> numbers{0, 1, 2};
  const auto found = draw(limits, numbers, {.sampling = {.temperature = 0}, .samples = 2}, Logits(), {});
  const auto greedy = beam_search(limits, {.beam = 1}, test::Steps(), {});
  for (std::size_t i = 0; i < limits.size(); ++i)
    for (const auto& sample : found[i]) {
      CHECK(sample.ids == greedy[i][0].ids);
      CHECK(sample.log_probability == Approx(greedy[i][0].log_probability).margin(1e-5));
    }
}

TEST_CASE("draws that cannot be are refused by name, and may be stopped") {
  const std::vector<std::size_t> numbers{0};
  CHECK_THROWS_WITH(draw({3}, numbers, {.samples = 0}, Logits(), {}),
                    ContainsSubstring("samples: expected a whole number from 1 to 1000, found '0'"));
  CHECK_THROWS_WITH(draw({3}, numbers, {.sampling = {.top_p = 0}}, Logits(), {}), ContainsSubstring("top-p"));
  CHECK_THROWS_AS(draw({3}, numbers, {}, Logits(), [] { throw Interrupted(); }), Interrupted);
}

}  // namespace transformer::search
