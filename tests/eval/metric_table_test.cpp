#include "transformer/eval/metric_table.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "tests/catch.h"
#include "transformer/base/error.h"

using namespace transformer::eval;

namespace {

const Sentences kSaid{"The Cat sat. On the (mat), he said!", "", "Größe ist 5,5 m.", "?"};
const Sentences kMeant{"the cat sat on the mat, he said.", "Who?", "", "Die Größe ist 5,5 Meter."};

/// The sentences as a metric takes them: trees, where it counts brackets.
Sentences texts_for(const std::string& metric, Sentences sentences) {
  if (metric != "parseval") return sentences;
  for (auto& sentence : sentences) {
    std::erase_if(sentence, [](char c) { return c == '(' || c == ')'; });
    const auto word = sentence.empty() ? "none" : sentence.substr(0, sentence.find(' '));
    sentence = word == "The" ? "(S (NP (X The)))" : "(S (X " + word + "))";
  }
  return sentences;
}

}  // namespace

TEST_CASE("each metric stands once in the table, under its name") {
  const auto all = score_names();
  const std::set<std::string> names(all.begin(), all.end());
  CHECK(names.size() == all.size());
  std::set<std::string> printed;
  for (const auto& name : names) printed.insert(find_score(name, "").name);
  CHECK(printed.size() == names.size());
  CHECK(find_metric("bleu").name == "BLEU");
  CHECK(find_metric("chrf++").name == "chrF2++");
}

TEST_CASE("an unknown metric is refused with what there is") {
  CHECK_THAT(list_metric_names(), ContainsSubstring("bleu, chrf"));
  REQUIRE_THROWS_WITH(find_metric("rouge", {}, "train"),
                      "train: expected " + list_metric_names() + ", found 'rouge'");
  REQUIRE_THROWS_AS(find_metric(""), transformer::InputError);
  REQUIRE_THROWS_AS(find_metric("BLEU"), transformer::InputError);
}

TEST_CASE("every metric counts as many numbers of each sentence, and scores any of them") {
  for (const auto& name : metric_names()) {
    const auto metric = find_metric(name, {.lowercase = true});
    INFO(name);
    const auto said = texts_for(name, kSaid), meant = texts_for(name, kMeant);
    const auto counts = count_sentences(metric, {said, {meant}});
    REQUIRE(counts.size() == said.size());
    for (const auto& sentence : counts) {
      CHECK(sentence.size() == counts.front().size());
      CHECK(std::isfinite(metric.score(sentence)));
    }
    const auto sum = sum_of(counts);
    for (std::size_t i = 0; i < sum.size(); ++i)
      CHECK(sum[i] == counts[0][i] + counts[1][i] + counts[2][i] + counts[3][i]);
    CHECK(std::isfinite(metric.score(Counts(sum.size()))));
    CHECK(metric.score(sum) == corpus_score(metric, {said, {meant}}));
    CHECK(corpus_score(metric, {meant, {meant}}) > metric.score(sum));
    CHECK_THAT(signature_of(metric, 2), ContainsSubstring("nrefs:2|case:lc|"));
  }
}

TEST_CASE("metrics of predictions stand in the table too, apart from those of texts") {
  const auto texts = metric_names(), all = score_names();
  CHECK(std::ranges::count(texts, "perplexity") == 0);
  CHECK(std::ranges::count(all, "perplexity") == 1);
  CHECK(all.size() > texts.size());
  CHECK(find_score("perplexity", "train.metric").is_of_predictions());
  CHECK_FALSE(find_score("chrf", "train.metric").is_of_predictions());
  REQUIRE_THROWS_WITH(
      find_score("rouge", "train.metric"),
      "train.metric: expected bleu, chrf, chrf++, parseval, accuracy, exact_match, answer_f1, perplexity, "
      "token_accuracy, bits_per_character, bits_per_byte or "
      "word_perplexity, found 'rouge'");
  REQUIRE_THROWS_AS(find_metric("perplexity"), transformer::InputError);
}

TEST_CASE("a metric from outside is found, once, under a name that can be one") {
  Metric metric{.name = "Length",
                .most = 1e9,
                .count = [](std::string_view text, const Sentences&) { return Counts{std::ssize(text)}; },
                .score = [](std::span<const std::int64_t> sum) { return static_cast<double>(sum[0]); },
                .detail = [](std::span<const std::int64_t>) { return std::string(); }};
  for (const auto* name : {"", "Length", "a b", "bleu"})
    CHECK_THROWS_AS(add_metric(name, metric), transformer::InputError);
  add_metric("length", metric);
  CHECK_THROWS_AS(add_metric("length", metric), transformer::InputError);
  CHECK(corpus_score(find_metric("length"), {{"abc", "de"}, {{"x", "y"}}}) == 5);
}
