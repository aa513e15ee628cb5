#include "tests/translation/greedy.h"

#include "tests/catch.h"
#include "tests/translation/toy_model.h"
#include "transformer/translation/model_search.h"

using namespace transformer;

TEST_CASE("greedy search is beam search with one hypothesis") {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    auto model = test::toy_model(seed, 20);
    const auto sources = test::random_sources(seed, {4, 0, 9, 1, 6}, 20);
    const search::DecodeOptions options{.beam = 1, .length_offset = 5 + static_cast<std::int64_t>(seed)};
    const auto found = test::greedy_search(model, sources, options);
    const auto beams = translation::beam_search(model, sources, options)[0];
    REQUIRE(found.size() == 5);
    for (std::size_t row = 0; row < found.size(); ++row) {
      CAPTURE(seed, row);
      CHECK(found[row].ids == beams[row].at(0).ids);
      CHECK(found[row].score == Approx(beams[row].at(0).score).margin(1e-4));
      CHECK(found[row].log_probability == Approx(beams[row].at(0).log_probability).margin(1e-4));
      CHECK(found[row].finished == beams[row].at(0).finished);
    }
  }
}

TEST_CASE("greedy search takes the most probable token of the decoder without a cache") {
  auto model = test::toy_model(3, 20);
  const auto sources = test::random_sources(4, {4, 7, 0}, 20);
  const search::DecodeOptions options{.beam = 1, .length_offset = 6};
  const auto found = test::greedy_search(model, sources, options);
  for (std::int64_t row = 0; row < sources.size(0); ++row) {
    const auto source = test::alone(sources, row);
    const auto limit = static_cast<std::size_t>(source.size(1) - 1 + options.length_offset);
    test::Ids expected;
    while (expected.size() < limit) {
      const auto token = test::continuations(model, source, expected).argmax().item<std::int32_t>();
      if (token == kEos) break;
      expected.push_back(token);
    }
    const auto& hypothesis = found[static_cast<std::size_t>(row)];
    CHECK(hypothesis.ids == expected);
    CHECK(hypothesis.finished == (expected.size() < limit));
    CHECK(hypothesis.log_probability == Approx(test::log_probability(model, source, expected)).margin(1e-4));
    CHECK(hypothesis.score == Approx(test::scored(expected, hypothesis.log_probability, options).score));
  }
}

TEST_CASE("a sentence's greedy translation does not depend on its batch") {
  auto model = test::toy_model(5, 30);
  const auto sources = test::random_sources(6, {3, 11, 0, 5, 7, 2, 8}, 30);
  const search::DecodeOptions options{.beam = 1, .length_offset = 10};
  const auto all = test::greedy_search(model, sources, options);
  for (std::int64_t row = 0; row < sources.size(0); ++row) {
    const auto single = test::greedy_search(model, test::alone(sources, row), options)[0];
    CHECK(single.ids == all[static_cast<std::size_t>(row)].ids);
    CHECK(single.score == Approx(all[static_cast<std::size_t>(row)].score).margin(1e-4));
  }
  CHECK(test::greedy_search(model, sources.slice(0, 0, 0), options).empty());
}
