// What a search tells its observer, compared with a search by hand.
#include "transformer/search/observer.h"

#include <map>
#include <string>

#include "tests/catch.h"
#include "tests/search/random_steps.h"
#include "transformer/search/beam_search.h"
#include "transformer/search/lengths.h"
#include "transformer/search/tree.h"

namespace transformer::search {
namespace {

using test::Ids;
using test::Steps;

// Six words: a, am, i, thanks, student and the end.
constexpr std::int32_t kA = 4, kAm = 5, kI = 6, kThanks = 7, kStudent = 8;

const std::map<std::int32_t, std::string>& words() {
  static const std::map<std::int32_t, std::string> names = {
      {kEos, "<eos>"}, {kA, "a"}, {kAm, "am"}, {kI, "i"}, {kThanks, "thanks"}, {kStudent, "student"}};
  return names;
}

std::string text_of(const Ids& ids) {
  std::string text;
  for (const auto id : ids) text += (text.empty() ? "" : " ") + words().at(id);
  return text;
}

using Distribution = std::map<std::int32_t, double>;

/// The next tokens' probabilities after the beginning of a translation of "je suis étudiant". The likeliest
/// path is "i am a student"; "a student" is a shorter one.
Distribution after(const Ids& ids) {
  static const std::map<std::string, Distribution> table = {
      {"", {{kI, .5}, {kA, .3}, {kThanks, .1}, {kAm, .05}, {kStudent, .04}, {kEos, .01}}},
      {"i", {{kAm, .6}, {kStudent, .15}, {kA, .1}, {kEos, .08}, {kI, .05}, {kThanks, .02}}},
      {"a", {{kStudent, .7}, {kAm, .1}, {kEos, .08}, {kI, .06}, {kA, .04}, {kThanks, .02}}},
      {"i am", {{kA, .8}, {kStudent, .1}, {kEos, .06}, {kAm, .02}, {kI, .015}, {kThanks, .005}}},
      {"a student", {{kEos, .95}, {kAm, .02}, {kI, .01}, {kThanks, .008}, {kA, .007}, {kStudent, .005}}},
      {"i am a", {{kStudent, .9}, {kAm, .04}, {kI, .03}, {kEos, .02}, {kA, .007}, {kThanks, .003}}},
      {"i am student", {{kEos, .6}, {kAm, .2}, {kA, .1}, {kI, .05}, {kThanks, .03}, {kStudent, .02}}},
      {"i am a student", {{kEos, .9}, {kA, .04}, {kAm, .03}, {kI, .02}, {kThanks, .007}, {kStudent, .003}}},
      {"i am a am", {{kEos, .5}, {kA, .3}, {kI, .1}, {kStudent, .05}, {kAm, .03}, {kThanks, .02}}}};
  return table.at(text_of(ids));
}

/// A Step of these.
class SixWords {
 public:
  void operator()(const StepRows& rows, std::int64_t width, Continuations& best) {
    std::vector<Ids> continued;
    best = {.width = width, .log_probabilities = {}, .tokens = {}};
    for (std::size_t row = 0; row < rows.size(); ++row) {
      continued.push_back(histories_.empty() ? Ids{}
                                             : histories_.at(static_cast<std::size_t>(rows.parents[row])));
      if (!histories_.empty()) continued.back().push_back(rows.tokens[row]);
      const auto all = after(continued.back());
      std::vector<std::pair<double, std::int32_t>> order;
      for (const auto& [token, probability] : all) order.emplace_back(probability, token);
      std::ranges::sort(order, std::ranges::greater());
      for (std::int64_t i = 0; i < width; ++i) {
        best.tokens.push_back(order.at(static_cast<std::size_t>(i)).second);
        best.log_probabilities.push_back(
            static_cast<float>(std::log(order[static_cast<std::size_t>(i)].first)));
      }
    }
    histories_ = std::move(continued);
  }

 private:
  std::vector<Ids> histories_;
};

/// A node as it was found by hand: the hypothesis with its last token, the probabilities of the token and of
/// all of it, and what became of it.
struct ByHand {
  std::string text;
  double probability, total;
  Fate fate;
};

std::string with_end(const SearchTree& tree, std::size_t node) {
  auto text = text_of(ids_of(tree, node));
  return tree[node].token == kEos ? text + " <eos>" : text;
}

void check_tree(const SearchTree& tree, const std::vector<ByHand>& expected) {
  REQUIRE(tree.size() == expected.size() + 1);
  CHECK(tree[0].parent == -1);
  CHECK(tree[0].length == 0);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto& node = tree[i + 1];
    CAPTURE(i, expected[i].text);
    CHECK(with_end(tree, i + 1) == expected[i].text);
    CHECK(std::exp(node.log_probability) == Approx(expected[i].probability).epsilon(1e-5));
    CHECK(std::exp(node.total) == Approx(expected[i].total).epsilon(1e-5));
    CHECK(std::string(name_of(node.fate)) == name_of(expected[i].fate));
    CHECK(node.length == tree[static_cast<std::size_t>(node.parent)].length + 1);
  }
}

bool equal(const Found& a, const Found& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].size() != b[i].size()) return false;
    for (std::size_t n = 0; n < a[i].size(); ++n) {
      const auto &left = a[i][n], &right = b[i][n];
      if (left.ids != right.ids || left.score != right.score || left.finished != right.finished ||
          left.log_probability != right.log_probability)
        return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("greedy search takes the likeliest word each time") {
  TreeRecorder recorder(1);
  const auto found = beam_search({7}, {.beam = 1}, SixWords(), {}, std::ref(recorder));
  CHECK(text_of(found[0][0].ids) == "i am a student");
  check_tree(recorder.trees()[0], {{"i", .5, .5, Fate::open},
                                   {"i am", .6, .3, Fate::open},
                                   {"i am a", .8, .24, Fate::open},
                                   {"i am a student", .9, .216, Fate::open},
                                   {"i am a student <eos>", .9, .1944, Fate::finished}});
}

TEST_CASE("a beam of two, both returned: the tree is the one found by hand") {
  TreeRecorder recorder(1);
  const DecodeOptions options{.beam = 2, .nbest = 2};
  const auto found = beam_search({7}, options, SixWords(), {}, std::ref(recorder));
  const auto& tree = recorder.trees()[0];
  check_tree(tree, {// 'i' and 'a' go on.
                    {"i", .5, .5, Fate::open},
                    {"a", .3, .3, Fate::open},
                    {"thanks", .1, .1, Fate::crowded_out},
                    {"am", .05, .05, Fate::crowded_out},

                    {"i am", .6, .3, Fate::open},
                    {"a student", .7, .21, Fate::open},
                    {"i student", .15, .075, Fate::crowded_out},
                    {"i a", .1, .05, Fate::crowded_out},
                    {"i <eos>", .08, .04, Fate::passed_over},
                    {"a am", .1, .03, Fate::passed_over},
                    {"a <eos>", .08, .024, Fate::passed_over},
                    {"a i", .06, .018, Fate::passed_over},

                    {"i am a", .8, .24, Fate::open},
                    {"a student <eos>", .95, .1995, Fate::finished},
                    {"i am student", .1, .03, Fate::open},
                    {"i am <eos>", .06, .018, Fate::finished},
                    {"i am am", .02, .006, Fate::passed_over},
                    {"a student am", .02, .0042, Fate::passed_over},
                    {"a student i", .01, .0021, Fate::passed_over},
                    {"a student thanks", .008, .00168, Fate::passed_over},

                    {"i am a student", .9, .216, Fate::open},
                    {"i am student <eos>", .6, .018, Fate::finished},
                    {"i am a am", .04, .0096, Fate::open},
                    {"i am a i", .03, .0072, Fate::crowded_out},
                    {"i am student am", .2, .006, Fate::passed_over},
                    {"i am a <eos>", .02, .0048, Fate::passed_over},
                    {"i am student a", .1, .003, Fate::passed_over},
                    {"i am student i", .05, .0015, Fate::passed_over},

                    {"i am a student <eos>", .9, .1944, Fate::finished},
                    {"i am a student a", .04, .00864, Fate::given_up},
                    {"i am a student am", .03, .00648, Fate::given_up},
                    {"i am a am <eos>", .5, .0048, Fate::finished},
                    {"i am a student i", .02, .00432, Fate::passed_over},
                    {"i am a am a", .3, .00288, Fate::passed_over},
                    {"i am a am i", .1, .00096, Fate::passed_over},
                    {"i am a am student", .05, .00048, Fate::passed_over}});

  // ln .1944 / (10 / 6)^.6 and ln .1995 / (8 / 6)^.6: the longer one is less probable, and wins.
  const auto best = finished_by_score(tree), likeliest = finished_by_probability(tree);
  REQUIRE(best.size() == 5);
  CHECK(with_end(tree, best[0]) == "i am a student <eos>");
  CHECK(with_end(tree, best[1]) == "a student <eos>");
  CHECK(with_end(tree, likeliest[0]) == "a student <eos>");
  CHECK(with_end(tree, likeliest[1]) == "i am a student <eos>");
  CHECK(tree[best[0]].penalty == Approx(1.3586552));
  CHECK(tree[best[0]].score == Approx(-1.2054842).epsilon(1e-6));
  CHECK(tree[best[1]].penalty == Approx(1.1884016));
  CHECK(tree[best[1]].score == Approx(-1.3563942).epsilon(1e-6));
  REQUIRE(found[0].size() == 2);
  for (std::size_t n = 0; n < 2; ++n) {
    CHECK(found[0][n].ids == ids_of(tree, best[n]));
    CHECK(found[0][n].score == tree[best[n]].score);
  }
}

TEST_CASE("an observer changes nothing of what is found, and sees all of it") {
  const auto candidates = GENERATE(Candidates::twice, Candidates::beam);
  const auto penalty = GENERATE(LengthPenalty::gnmt, LengthPenalty::length);
  const std::vector<std::int64_t> limits{6, 0, 12, 1, 9, 3};
  for (const std::int64_t beam : {1, 2, 3, 7}) {
    for (const double alpha : {0.0, 0.6, 2.0}) {
      CAPTURE(beam, alpha);
      const DecodeOptions options{.beam = beam,
                                  .candidates = candidates,
                                  .alpha = alpha,
                                  .length_penalty = penalty,
                                  .nbest = std::min<std::int64_t>(beam, 2)};
      TreeRecorder recorder(limits.size());
      const auto alone = beam_search(limits, options, Steps(), {});
      const auto observed = beam_search(limits, options, Steps(), {}, std::ref(recorder));
      CHECK(equal(alone, observed));
      for (std::size_t i = 0; i < limits.size(); ++i) {
        const auto& tree = recorder.trees()[i];
        const auto finished = finished_by_score(tree);
        REQUIRE(finished.size() >= observed[i].size());
        for (std::size_t n = 0; n < observed[i].size(); ++n) {
          CHECK(ids_of(tree, finished[n]) == observed[i][n].ids);
          CHECK(tree[finished[n]].score == observed[i][n].score);
        }
        for (std::size_t node = 1; node < tree.size(); ++node) {
          const auto& parent = tree[static_cast<std::size_t>(tree[node].parent)];
          // The root is open by definition; only what is open has continuations.
          CHECK(std::string(name_of(parent.fate)) == "open");
          CHECK(tree[node].total == Approx(parent.total + tree[node].log_probability));
        }
      }
    }
  }
}

TEST_CASE("with several alphas the scores told are those of the first") {
  TreeRecorder recorder(1);
  const std::vector<double> alphas{1.0, 0.0};
  const DecodeOptions options{.beam = 3};
  const auto found = beam_search_alphas({8}, options, alphas, Steps(), {}, std::ref(recorder));
  const auto& tree = recorder.trees()[0];
  CHECK(tree[finished_by_score(tree)[0]].score == found[0][0][0].score);
  CHECK(ids_of(tree, finished_by_probability(tree)[0]) == found[1][0][0].ids);
}

}  // namespace transformer::search
