// Beam search over a model of texts, which knows no more than to read, to fork and to forget.
#include "transformer/search/text_steps.h"

#include <algorithm>
#include <map>

#include "tests/search/random_steps.h"
#include "transformer/search/beam_search.h"
#include "transformer/search/lengths.h"

namespace transformer::search {
namespace {

using test::Ids;
using test::kVocabulary;

/// What follows a text is test::next of it.
class RandomTexts : public TextModel {
 public:
  std::span<const float> read(std::span<const Reading> readings) override {
    logits_.clear();
    for (const auto& [text, tokens] : readings) {
      auto& known = texts_[text];
      known.insert(known.end(), tokens.begin(), tokens.end());
      for (const auto value : test::next(0, known)) logits_.push_back(static_cast<float>(value));
    }
    return logits_;
  }
  void fork(std::int64_t from, std::int64_t to) override {
    REQUIRE_FALSE(texts_.contains(to));
    texts_[to] = texts_.at(from);
  }
  void forget(std::int64_t text) override { REQUIRE(texts_.erase(text) == 1); }
  std::int64_t vocabulary() const override { return kVocabulary; }
  std::size_t open() const { return texts_.size(); }

 private:
  std::map<std::int64_t, Ids> texts_;
  std::vector<float> logits_;
};

/// Every continuation of a prompt, best first: those that end, and those that are cut at `limit` tokens.
std::vector<Hypothesis> all_continuations(const Ids& prompt, std::int64_t limit,
                                          const DecodeOptions& options) {
  std::vector<Hypothesis> open{{}}, found;
  for (std::size_t i = 0; i < open.size(); ++i) {
    const auto from = open[i];
    auto text = prompt;
    text.insert(text.end(), from.ids.begin(), from.ids.end());
    const auto all = test::next(0, text);
    for (std::int32_t token = 0; token < kVocabulary; ++token) {
      if (token == kPad || token == kBos) continue;
      auto next = from;
      next.log_probability += all[static_cast<std::size_t>(token)];
      next.score = next.log_probability / length_penalty(options, std::ssize(from.ids) + 1);
      next.finished = token == kEos;
      if (token != kEos) next.ids.push_back(token);
      const bool over = token == kEos || std::ssize(next.ids) == limit;
      (over ? found : open).push_back(next);
    }
  }
  std::ranges::stable_sort(found, std::ranges::greater(), &Hypothesis::score);
  return found;
}

}  // namespace

TEST_CASE("a beam as wide as there are continuations of a prompt finds the best ones, cut or ended") {
  const std::vector<Ids> prompts{{kBos}, {kBos, 5, 6}, {kEos, 4}, {kBos, 5}};
  const std::vector<std::int64_t> limits{3, 4, 1, 2};
  for (const double alpha : {0.0, 0.6, 1.0}) {
    const DecodeOptions options{.beam = 600, .alpha = alpha, .nbest = 4};
    RandomTexts model;
    {
      TextSteps steps(model, prompts);
      const auto found = beam_search(limits, options, std::ref(steps), {}, {}, {.cut = true});
      for (std::size_t i = 0; i < prompts.size(); ++i) {
        const auto expected = all_continuations(prompts[i], limits[i], options);
        for (std::size_t n = 0; n < 4; ++n) {
          CAPTURE(alpha, i, n);
          CHECK(found[i][n].ids == expected[n].ids);
          CHECK(found[i][n].score == Approx(expected[n].score).margin(1e-5));
          CHECK(found[i][n].finished == expected[n].finished);
        }
      }
    }
    CHECK(model.open() == 0);
  }
}

TEST_CASE("a narrow beam over texts is the narrow beam over steps, and no text is left open") {
  for (const std::int64_t beam : {1, 2, 5}) {
    const DecodeOptions options{.beam = beam, .nbest = beam};
    RandomTexts model;
    const std::vector<Ids> begin{{kBos, 4}};
    std::vector<Found> found;
    {
      TextSteps steps(model, begin);
      found.push_back(beam_search({7}, options, std::ref(steps), {}));
      CHECK(model.open() <= static_cast<std::size_t>(beam));
    }
    CHECK(model.open() == 0);
    // The same model as a step that knows its hypotheses by their tokens.
    std::vector<Ids> known;
    const auto step = [&](const StepRows& rows, std::int64_t width, Continuations& best) {
      std::vector<Ids> continued;
      best = Continuations();
      best.width = std::min<std::int64_t>(width, kVocabulary);
      for (std::size_t row = 0; row < rows.size(); ++row) {
        continued.push_back(known.empty() ? begin[0] : known.at(static_cast<std::size_t>(rows.parents[row])));
        if (!known.empty()) continued.back().push_back(rows.tokens[row]);
        const auto all = test::next(0, continued.back());
        std::vector<std::int32_t> order;
        for (std::int32_t token = 0; token < kVocabulary; ++token)
          if (token != kPad && token != kBos && (rows.only[row] < 0 || rows.only[row] == token))
            order.push_back(token);
        std::ranges::sort(order, std::ranges::greater(),
                          [&](auto token) { return all[static_cast<std::size_t>(token)]; });
        for (std::size_t i = 0; i < static_cast<std::size_t>(best.width); ++i) {
          best.tokens.push_back(i < order.size() ? order[i] : kEos);
          best.log_probabilities.push_back(i < order.size()
                                               ? static_cast<float>(all[static_cast<std::size_t>(order[i])])
                                               : -std::numeric_limits<float>::infinity());
        }
      }
      known = std::move(continued);
    };
    found.push_back(beam_search({7}, options, step, {}));
    REQUIRE(found[0][0].size() == found[1][0].size());
    for (std::size_t n = 0; n < found[0][0].size(); ++n) {
      CHECK(found[0][0][n].ids == found[1][0][n].ids);
      CHECK(found[0][0][n].log_probability == Approx(found[1][0][n].log_probability).margin(1e-5));
    }
  }
}

}  // namespace transformer::search
