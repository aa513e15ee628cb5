#include "transformer/search/beam_search.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "tests/catch.h"
#include "tests/engine/models.h"
#include "tests/translation/toy_model.h"
#include "transformer/translation/engine_model.h"
#include "transformer/translation/model_search.h"

using namespace transformer;
using engine::Precision;
using search::Candidates;
using search::DecodeOptions;
using search::Hypothesis;

namespace {

using Found = std::vector<std::vector<Hypothesis>>;

void check_close(const Found& found, const Found& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t row = 0; row < found.size(); ++row) {
    CAPTURE(row);
    REQUIRE(found[row].size() == expected[row].size());
    for (std::size_t i = 0; i < found[row].size(); ++i) {
      CHECK(found[row][i].ids == expected[row][i].ids);
      CHECK(found[row][i].score == Approx(expected[row][i].score).margin(1e-3));
      CHECK(found[row][i].log_probability == Approx(expected[row][i].log_probability).margin(1e-3));
      CHECK(found[row][i].finished == expected[row][i].finished);
    }
  }
}

bool operator==(const Hypothesis& a, const Hypothesis& b) {
  return a.ids == b.ids && a.score == b.score && a.log_probability == b.log_probability &&
         a.finished == b.finished;
}

bool equal(const std::vector<Hypothesis>& a, const std::vector<Hypothesis>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& left, const auto& right) { return left == right; });
}

}  // namespace

TEST_CASE("the engine finds what the model's modules find, for every kind of model") {
  const auto candidates = GENERATE(Candidates::twice, Candidates::beam);
  for (const auto& [name, options] : test::model_cases()) {
    INFO(name);
    auto model = test::random_model(options, 40, 3);
    const auto sources = test::random_sources(4, {5, 0, 9, 1, 12, 5}, 40);
    const auto packed = translation::pack(model, Precision::fp32);
    engine::BatchDecoder decoder(packed);
    for (auto search : {DecodeOptions{.beam = 1, .length_offset = 8},
                        DecodeOptions{.beam = 4, .length_offset = 10, .nbest = 3},
                        DecodeOptions{.beam = 3, .alpha = 0.0, .length_offset = 60},
                        DecodeOptions{.beam = 60, .length_offset = 2, .nbest = 20}}) {
      INFO("beam " << search.beam);
      search.candidates = candidates;
      check_close(translation::beam_search(decoder, test::ids_of(sources), search)[0],
                  translation::beam_search(model, sources, search)[0]);
    }
  }
}

TEST_CASE("the engine's results do not depend on the batch, to the last bit") {
  const auto precision = GENERATE(Precision::fp32, Precision::bf16, Precision::int8);
  auto model = test::toy_model(7, 30);
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < 40; ++i) lengths.push_back(i * 7 % 13);
  const auto sources = test::ids_of(test::random_sources(8, lengths, 30));
  const DecodeOptions options{.beam = 4, .length_offset = 12, .nbest = 4};
  const auto packed = translation::pack(model, precision);
  engine::BatchDecoder decoder(packed), other(packed);
  const auto all = translation::beam_search(decoder, sources, options)[0];
  for (std::size_t row = 0; row < sources.size(); ++row) {
    const auto single = translation::beam_search(other, std::span(sources).subspan(row, 1), options)[0][0];
    CHECK(equal(single, all[row]));
  }
}

TEST_CASE("lower precisions find hypotheses of about the same score") {
  auto model = test::toy_model(15, 15);
  const auto sources = test::ids_of(test::random_sources(16, {5, 3}, 15));
  const DecodeOptions options{.beam = 3, .length_offset = 3, .nbest = 3};
  const auto search = [&](Precision precision) {
    const auto packed = translation::pack(model, precision);
    engine::BatchDecoder decoder(packed);
    return translation::beam_search(decoder, sources, options)[0];
  };
  const auto exact = search(Precision::fp32);
  for (const auto precision : {Precision::bf16, Precision::int8}) {
    const auto found = search(precision);
    for (std::size_t row = 0; row < found.size(); ++row)
      CHECK(found[row].at(0).score == Approx(exact[row].at(0).score).epsilon(0.1));
  }
}

TEST_CASE("a model that computes nothing but NaN still gives a hypothesis") {
  auto model = test::toy_model(1, 9);
  const torch::NoGradGuard no_grad;
  for (auto& parameter : model->parameters()) parameter.fill_(std::numeric_limits<float>::quiet_NaN());
  const auto sources = test::random_sources(2, {3, 1}, 9);
  const DecodeOptions options{.beam = 3, .length_offset = 2, .nbest = 2};
  const auto packed = translation::pack(model, Precision::fp32);
  engine::BatchDecoder decoder(packed);
  for (const auto& found : {translation::beam_search(decoder, test::ids_of(sources), options)[0],
                            translation::beam_search(model, sources, options)[0]})
    for (const auto& hypotheses : found) CHECK_FALSE(hypotheses.empty());
}

TEST_CASE("equal candidates are taken in a fixed order") {
  // Everything is equally probable: the first hypothesis' first tokens win.
  const auto step = [](const search::StepRows& rows, std::int64_t width, search::Continuations& best) {
    best.width = width;
    best.tokens.clear();
    best.log_probabilities.assign(rows.size() * static_cast<std::size_t>(width), -1.0F);
    for (std::size_t row = 0; row < rows.size(); ++row)
      for (std::int32_t i = 0; i < width; ++i) best.tokens.push_back(rows.only[row] == kEos ? kEos : 10 + i);
  };
  const auto found = search::beam_search({2}, {.beam = 3, .nbest = 3}, step, {});
  REQUIRE(found[0].size() == 3);
  CHECK(found[0][0].ids == test::Ids{10, 10});
}

namespace {

/// A model that knows three tokens, and the probabilities of what may follow few prefixes.
class Table {
 public:
  static constexpr std::int32_t a = 10, b = 11, c = 12;

  void operator()(const search::StepRows& rows, std::int64_t width, search::Continuations& best) {
    std::vector<test::Ids> next;
    best.width = std::min<std::int64_t>(width, 4);
    best.log_probabilities.clear();
    best.tokens.clear();
    for (std::size_t row = 0; row < rows.size(); ++row) {
      next.push_back(rows.tokens[row] == kBos ? test::Ids{}
                                              : prefixes_.at(static_cast<std::size_t>(rows.parents[row])));
      if (rows.tokens[row] != kBos) next.back().push_back(rows.tokens[row]);
      auto following = following_.at(next.back());
      if (rows.only[row] == kEos)
        for (auto& [probability, token] : following) probability = token == kEos ? probability : 0.0;
      std::sort(following.rbegin(), following.rend());
      for (std::int64_t i = 0; i < best.width; ++i) {
        const auto [probability, token] = following[static_cast<std::size_t>(i)];
        best.log_probabilities.push_back(static_cast<float>(std::log(probability)));
        best.tokens.push_back(token);
      }
    }
    prefixes_ = std::move(next);
    open.push_back(prefixes_);
  }

  std::vector<std::vector<test::Ids>> open;  ///< hypotheses, step by step

 private:
  std::map<test::Ids, std::vector<std::pair<double, std::int32_t>>> following_ = {
      {{}, {{0.40, kEos}, {0.35, a}, {0.25, b}, {0.0, c}}},
      {{a}, {{0.50, kEos}, {0.50, c}, {0.0, a}, {0.0, b}}},
      {{b}, {{0.99, kEos}, {0.01, c}, {0.0, a}, {0.0, b}}},
      {{a, c}, {{0.60, kEos}, {0.40, c}, {0.0, a}, {0.0, b}}},
      {{b, c}, {{0.60, kEos}, {0.40, c}, {0.0, a}, {0.0, b}}}};
  std::vector<test::Ids> prefixes_;
};

}  // namespace

TEST_CASE("the two rules of which candidates are taken, by hand") {
  const auto found = [](Candidates candidates, Table& table) {
    const DecodeOptions options{.beam = 2, .candidates = candidates, .alpha = 3.0, .nbest = 2};
    return search::beam_search({2}, options, std::ref(table), {})[0];
  };
  const auto score = [](double probability, double length) {  // the end counted
    return Approx(std::log(probability) / std::pow((5 + length) / 6, 3.0)).epsilon(1e-5);
  };
  const auto a = Table::a, b = Table::b, c = Table::c;
  SECTION("the beam: of end, a and b the best two are the end and a, and b is lost") {
    Table table;
    const auto best = found(Candidates::beam, table);
    CHECK(table.open == std::vector<std::vector<test::Ids>>{{{}}, {{a}}, {{a, c}}});
    REQUIRE(best.size() == 2);
    CHECK(best[0].ids == test::Ids{});
    CHECK(best[0].score == score(0.40, 1));
    CHECK(best[1].ids == test::Ids{a, c});
    CHECK(best[1].score == score(0.35 * 0.50 * 0.60, 3));
  }
  SECTION("twice the beam: the end is set aside, a and b go on, and b's end wins") {
    Table table;
    const auto best = found(Candidates::twice, table);
    REQUIRE(table.open.size() >= 2);
    CHECK(table.open[0] == std::vector<test::Ids>{{}});
    CHECK(table.open[1] == std::vector<test::Ids>{{a}, {b}});
    REQUIRE(best.size() == 2);
    CHECK(best[0].ids == test::Ids{b});
    CHECK(best[0].score == score(0.25 * 0.99, 2));
    CHECK(best[1].ids == test::Ids{});
    CHECK(best[1].score == score(0.40, 1));
  }
}

TEST_CASE("a beam of one is greedy search under either rule") {
  auto model = test::toy_model(3, 14);
  const auto sources = test::random_sources(3, {5, 0, 9, 1}, 14);
  const auto search = [&](Candidates candidates) {
    return translation::beam_search(model, sources,
                                    {.beam = 1, .candidates = candidates, .length_offset = 12})[0];
  };
  const auto twice = search(Candidates::twice), single = search(Candidates::beam);
  for (std::size_t row = 0; row < twice.size(); ++row) CHECK(equal(twice[row], single[row]));
}

TEST_CASE("one search under several alphas finds what a search under each finds") {
  const auto penalty = GENERATE(search::LengthPenalty::gnmt, search::LengthPenalty::length);
  const std::vector<double> alphas{0.0, 0.6, 1.0, 3.0, 0.6};
  std::size_t different = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    auto model = test::toy_model(seed, 14);
    const auto sources = test::random_sources(seed, {5, 0, 9, 1, 12, 5, 3}, 14);
    const auto packed = translation::pack(model, Precision::fp32);
    engine::BatchDecoder decoder(packed);
    for (DecodeOptions options :
         {DecodeOptions{.beam = 1, .length_offset = 12},
          DecodeOptions{.beam = 2, .candidates = Candidates::beam, .length_offset = 20},
          DecodeOptions{.beam = 4, .length_offset = 16, .nbest = 3}}) {
      options.length_penalty = penalty;
      CAPTURE(seed, options.beam);
      const auto by_engine = translation::beam_search(decoder, test::ids_of(sources), options, alphas);
      const auto by_modules = translation::beam_search(model, sources, options, alphas);
      REQUIRE(by_engine.size() == alphas.size());
      REQUIRE(by_modules.size() == alphas.size());
      for (std::size_t i = 0; i < alphas.size(); ++i) {
        CAPTURE(alphas[i]);
        options.alpha = alphas[i];
        const auto expected = translation::beam_search(decoder, test::ids_of(sources), options)[0];
        for (std::size_t row = 0; row < expected.size(); ++row) {
          CHECK(equal(by_engine[i][row], expected[row]));
          different += by_engine[0][row][0].ids != expected[row][0].ids ? 1 : 0;
        }
        check_close(by_modules[i], translation::beam_search(model, sources, options)[0]);
      }
    }
  }
  CHECK(different > 10);  // so alpha does matter here
}

TEST_CASE(
    "a search under several alphas takes the steps of the longest, one under none those of its options") {
  auto model = test::toy_model(2, 14);
  const auto sources = test::random_sources(2, {5, 9, 3}, 14);
  const auto steps = [&](const std::vector<double>& alphas) {
    int count = 0;
    const DecodeOptions options{.beam = 3, .length_offset = 30};
    translation::beam_search(model, sources, options, alphas, {[&] { ++count; }});
    return count;
  };
  CHECK(steps({0.0, 0.6, 3.0}) == std::max({steps({0.0}), steps({0.6}), steps({3.0})}));
  CHECK(steps({0.0}) < steps({3.0}));
  CHECK(steps({}) == steps({0.6}));
}
