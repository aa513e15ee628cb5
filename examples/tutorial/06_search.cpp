// Page 6: section 6.1, with a step that was written by hand.
#include <algorithm>
#include <cmath>
#include <map>

#include "examples/tutorial/page.h"
#include "transformer/base/special_tokens.h"
#include "transformer/search/beam_search.h"
#include "transformer/search/tree.h"

namespace {

// --- words
using namespace transformer;
using Ids = std::vector<std::int32_t>;
using Distribution = std::map<std::int32_t, double>;

// 0 to 3 are special; 3 ends a sentence.
constexpr std::int32_t kA = 4, kAm = 5, kI = 6, kThanks = 7, kStudent = 8;
const std::map<std::int32_t, std::string> kWords = {
    {kEos, "<eos>"}, {kA, "a"}, {kAm, "am"}, {kI, "i"}, {kThanks, "thanks"}, {kStudent, "student"}};

/// The probability of each next word, given the words so far.
Distribution after(const Ids& so_far) {
  static const std::map<Ids, Distribution> table = {
      {{}, {{kI, .5}, {kA, .3}, {kThanks, .1}, {kAm, .05}, {kStudent, .04}, {kEos, .01}}},
      {{kI}, {{kAm, .6}, {kStudent, .15}, {kA, .1}, {kEos, .08}, {kI, .05}, {kThanks, .02}}},
      {{kA}, {{kStudent, .7}, {kAm, .1}, {kEos, .08}, {kI, .06}, {kA, .04}, {kThanks, .02}}},
      {{kI, kAm}, {{kA, .8}, {kStudent, .1}, {kEos, .06}, {kAm, .02}, {kI, .015}, {kThanks, .005}}},
      {{kA, kStudent}, {{kEos, .95}, {kAm, .02}, {kI, .01}, {kThanks, .01}, {kA, .005}, {kStudent, .005}}},
      {{kI, kAm, kA}, {{kStudent, .9}, {kAm, .04}, {kI, .03}, {kEos, .02}, {kA, .005}, {kThanks, .005}}}};
  const auto found = table.find(so_far);
  if (found != table.end()) return found->second;
  return {{kEos, .9}, {kA, .04}, {kAm, .03}, {kI, .02}, {kThanks, .006}, {kStudent, .004}};
}
// ---

// --- step
/// What a model is to the search: the best continuations of each open hypothesis.
class SixWords {
 public:
  void operator()(const search::StepRows& rows, std::int64_t width, search::Continuations& best) {
    std::vector<Ids> continued;
    best = {.width = width, .log_probabilities = {}, .tokens = {}};
    for (std::size_t row = 0; row < rows.size(); ++row) {
      continued.push_back(hypotheses_.empty() ? Ids{}
                                              : hypotheses_[static_cast<std::size_t>(rows.parents[row])]);
      if (!hypotheses_.empty()) continued.back().push_back(rows.tokens[row]);
      std::vector<std::pair<double, std::int32_t>> order;
      for (const auto& [word, probability] : after(continued.back())) order.emplace_back(probability, word);
      std::ranges::sort(order, std::ranges::greater());
      for (std::size_t i = 0; i < static_cast<std::size_t>(width); ++i) {
        best.tokens.push_back(order.at(i).second);
        best.log_probabilities.push_back(static_cast<float>(std::log(order[i].first)));
      }
    }
    hypotheses_ = std::move(continued);
  }

 private:
  std::vector<Ids> hypotheses_;
};
// ---

std::string text_of(const Ids& ids) {
  std::string text;
  for (const auto id : ids) text += (text.empty() ? "" : " ") + kWords.at(id);
  return text;
}

void print(const std::vector<search::Hypothesis>& found) {
  for (const auto& one : found)
    std::printf("%-16s probability %.4f, score %.4f\n", text_of(one.ids).c_str(),
                std::exp(one.log_probability), one.score);
}

}  // namespace

void tutorial::search() {
  using namespace transformer::search;
  section("greedy");
  print(beam_search({6}, {.beam = 1}, SixWords(), {})[0]);

  section("beam");
  TreeRecorder recorder(1);
  const auto found = beam_search({6}, {.beam = 2, .nbest = 2}, SixWords(), {}, std::ref(recorder));
  print(found[0]);

  section("tree");
  const auto& tree = recorder.trees()[0];
  for (std::size_t node = 1; node < tree.size(); ++node)
    if (tree[node].fate != Fate::passed_over)
      std::printf("%lld  %-28s %.4f  %s\n", static_cast<long long>(tree[node].length),
                  (text_of(ids_of(tree, node)) + (tree[node].token == kEos ? " <eos>" : "")).c_str(),
                  std::exp(tree[node].total), name_of(tree[node].fate));

  section("penalty");
  print(beam_search({6}, {.beam = 2, .alpha = 0, .nbest = 2}, SixWords(), {})[0]);
}
