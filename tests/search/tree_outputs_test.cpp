// A search among trees finds what is left of a free one when all other outputs are struck out. Which outputs
// are trees the reader of trees tells.
#include "transformer/search/tree_outputs.h"

#include <algorithm>
#include <map>
#include <string>

#include "tests/catch.h"
#include "tests/search/random_steps.h"
#include "transformer/search/beam_search.h"
#include "transformer/trees/linearised_tree.h"

namespace transformer::search {
namespace {

using test::Ids;
using Kind = TreePart::Kind;

// Token 0 is a tag, too.
const std::vector<std::string> kTokens{"TO", "", "", "", "(A", ")A", "NN"};
const std::vector<TreePart> kParts{{Kind::tag}, {}, {}, {}, {Kind::begins, 3}, {Kind::ends, 3}, {Kind::tag}};

bool is_tree(const Ids& ids, std::int64_t words) {
  std::string tokens, sentence;
  for (const auto id : ids) tokens += kTokens[static_cast<std::size_t>(id)] + " ";
  for (std::int64_t i = 0; i < words; ++i) sentence += "w ";
  return !trees::restored(tokens, sentence).mended;
}

/// Each tree of at most `limit` tokens with its log-probability.
std::map<Ids, double> all_trees(std::size_t number, std::int64_t limit, std::int64_t words) {
  std::vector<std::pair<Ids, double>> open{{{}, 0.0}};
  std::map<Ids, double> found;
  for (std::size_t i = 0; i < open.size(); ++i) {
    const auto [ids, log_probability] = open[i];
    const auto all = test::next(number, ids);
    if (is_tree(ids, words)) found[ids] = log_probability + all[kEos];
    if (std::ssize(ids) == limit) continue;
    for (const std::int32_t token : {0, 4, 5, 6}) {
      open.emplace_back(ids, log_probability + all[static_cast<std::size_t>(token)]);
      open.back().first.push_back(token);
    }
  }
  return found;
}

}  // namespace

TEST_CASE("an exhaustive search finds each tree of the words, and nothing else") {
  for (const std::int64_t words : {1, 2, 3}) {
    INFO(words);
    constexpr std::int64_t kLimit = 7;
    const std::vector<std::int64_t> counts{words};
    const auto expected = all_trees(0, kLimit, words);
    REQUIRE(expected.size() > 5);
    const auto found = beam_search({kLimit}, {.beam = 4000, .nbest = 4000}, test::Steps(), {}, {},
                                   {.trees = {kParts, counts}})[0];
    std::map<Ids, double> trees;
    for (const auto& hypothesis : found) {
      const bool whole = is_tree(hypothesis.ids, words);
      CHECK((whole || std::ssize(hypothesis.ids) == kLimit));  // what the limit has cut off
      if (whole) trees[hypothesis.ids] = hypothesis.log_probability;
    }
    REQUIRE(trees.size() == expected.size());
    for (const auto& [ids, log_probability] : expected) {
      REQUIRE(trees.contains(ids));
      CHECK(trees.at(ids) == Approx(log_probability).epsilon(1e-5));
    }
  }
}

TEST_CASE("greedy and narrow searches end with trees") {
  const std::vector<std::int64_t> limits{60, 60, 60, 60}, words{1, 2, 5, 9};
  for (const std::int64_t beam : {1, 2, 4}) {
    const auto found = beam_search(limits, {.beam = beam}, test::Steps(), {}, {}, {.trees = {kParts, words}});
    for (std::size_t i = 0; i < limits.size(); ++i) {
      const auto& best = found[i].front();
      CHECK((is_tree(best.ids, words[i]) || !best.finished));
    }
  }
}

TEST_CASE("a search without trees is as it was, and what begins with a prefix is free") {
  const std::vector<std::int64_t> limits{5, 6}, words{2, 2};
  const auto free = beam_search(limits, {.beam = 3}, test::Steps(), {});
  const std::vector<Ids> prefixes{{5}, {}};  // an end without a beginning
  const auto forced = beam_search(limits, {.beam = 3}, test::Steps(), {}, {}, {.prefixes = prefixes});
  const auto bound = beam_search(limits, {.beam = 3}, test::Steps(), {}, {},
                                 {.prefixes = prefixes, .trees = {kParts, words}});
  CHECK(bound[0].front().ids == forced[0].front().ids);
  CHECK(forced[1].front().ids == free[1].front().ids);
}

TEST_CASE("a tree is open until its outermost constituent has all words") {
  const auto allowed = [](const Ids& ids, std::int64_t words) {
    const OpenTree tree(kParts, words, ids);
    Ids tokens;
    for (const std::int32_t token : {0, 1, 2, 3, 4, 5, 6})
      if (tree.allows(token)) tokens.push_back(token);
    return tokens;
  };
  CHECK(allowed({}, 2) == Ids{4});
  CHECK(allowed({}, 1) == Ids{0, 4, 6});  // a lone word needs no constituent
  CHECK(allowed({6}, 1) == Ids{kEos});
  CHECK(allowed({4}, 2) == Ids{0, 4, 6});     // a constituent holds something
  CHECK(allowed({4, 6}, 2) == Ids{0, 4, 6});  // the outermost one holds all words
  CHECK(allowed({4, 4, 6}, 2) == Ids{0, 4, 5, 6});
  CHECK(allowed({4, 6, 0}, 2) == Ids{5});
  CHECK(allowed({4, 6, 0, 5}, 2) == Ids{kEos});
}

TEST_CASE("a constituent ends with its own label") {
  const std::vector<TreePart> parts{
      {}, {}, {}, {}, {Kind::begins, 0}, {Kind::begins, 1}, {Kind::ends, 0}, {Kind::ends, 1}, {Kind::tag}};
  CHECK(OpenTree(parts, 1, Ids{4, 5, 8}).allows(7));
  CHECK_FALSE(OpenTree(parts, 1, Ids{4, 5, 8}).allows(6));
  CHECK(OpenTree(parts, 1, Ids{4, 5, 8, 7}).allows(6));
}

}  // namespace transformer::search
