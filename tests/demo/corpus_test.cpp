#include "data/demo_corpus/corpus.h"

#include <map>
#include <set>

#include "data/demo_corpus/random.h"
#include "data/demo_corpus/sentence_sampler.h"
#include "data/demo_corpus/words.h"
#include "tests/catch.h"

using namespace transformer::demo;

namespace {

constexpr CorpusOptions kSmall{.seed = 3, .train = 4000, .dev = 100, .test = 200};

// Both are made once: that takes seconds.
const Corpus& small_corpus() {
  static const Corpus corpus = make_corpus(kSmall);
  return corpus;
}

const Corpus& usual_corpus() {
  static const Corpus corpus = make_corpus({});
  return corpus;
}

bool equal(const std::vector<Example>& a, const std::vector<Example>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].text.en != b[i].text.en || a[i].text.de != b[i].text.de) return false;
  }
  return true;
}

// The text between spaces, without marks, so that word pairs can be looked for.
std::string plain(const std::string& text) {
  std::string result = " ";
  for (std::string word : split(text)) {
    while (!word.empty() && std::string(".,?").find(word.back()) != std::string::npos) word.pop_back();
    result += lower_first(word) + " ";
  }
  return result;
}

}  // namespace

TEST_CASE("random numbers are those of splitmix64") {
  // The first outputs of the published generator for the state 1234567.
  Random random(1234567);
  CHECK(random.next() == 6457827717110365317U);
  CHECK(random.next() == 3203168211198807973U);
  CHECK(random.next() == 9817491932198370423U);
}

TEST_CASE("one seed gives one corpus, another seed another") {
  const Corpus& first = small_corpus();
  const Corpus second = make_corpus(kSmall);
  CHECK(equal(first.train, second.train));
  CHECK(equal(first.dev, second.dev));
  CHECK(equal(first.test, second.test));
  CorpusOptions other = kSmall;
  other.seed = 4;
  CHECK_FALSE(equal(first.test, make_corpus(other).test));
}

TEST_CASE("the size of train changes neither dev nor test") {
  CorpusOptions larger = kSmall;
  larger.train = 5000;
  const Corpus &small = small_corpus(), large = make_corpus(larger);
  CHECK(equal(small.dev, large.dev));
  CHECK(equal(small.test, large.test));
}

TEST_CASE("no sentence occurs twice, in either language") {
  const Corpus& corpus = small_corpus();
  std::set<std::string> english, german;
  for (const auto* split : {&corpus.train, &corpus.dev, &corpus.test}) {
    for (const Example& example : *split) {
      REQUIRE(english.insert(example.text.en).second);
      REQUIRE(german.insert(example.text.de).second);
    }
  }
  CHECK(english.size() == 4300);
}

TEST_CASE("the last tenth of test is made of combinations that train and dev lack") {
  const Corpus& corpus = small_corpus();
  REQUIRE(corpus.unseen == 20);
  std::set<std::string> seen;
  std::string text;
  for (const auto* split : {&corpus.train, &corpus.dev}) {
    for (const Example& example : *split) {
      seen.insert(example.combinations.begin(), example.combinations.end());
      text += plain(example.text.en);
    }
  }
  for (std::size_t i = 0; i < corpus.test.size(); ++i) {
    const Example& example = corpus.test[i];
    INFO(example.text.en);
    std::size_t unseen = 0, held = 0;
    for (const std::string& pair : example.combinations) {
      unseen += seen.contains(pair) ? 0 : 1;
      if (!held_out(pair, kSmall.seed)) continue;
      ++held;
      CHECK_FALSE(seen.contains(pair));
      // Independently of what the derivations say: a compound's two words never stand side by side.
      if (pair.starts_with("compound ")) {
        std::string words = pair.substr(std::string("compound ").size());
        words[words.find('+')] = ' ';
        CHECK(text.find(" " + words + " ") == std::string::npos);
      }
    }
    if (i + corpus.unseen >= corpus.test.size()) {
      CHECK(held >= 2);
      CHECK(2 * unseen >= example.combinations.size());
    } else {
      CHECK(held == 0);
    }
  }
}

TEST_CASE("some names in test are new, and none of those is in train or dev") {
  const Corpus& corpus = small_corpus();
  for (const auto* split : {&corpus.train, &corpus.dev}) {
    for (const Example& example : *split) {
      for (const std::string& name : example.names) REQUIRE_FALSE(new_name(name, kSmall.seed));
    }
  }
  std::size_t fresh = 0;
  for (const Example& example : corpus.test) {
    for (const std::string& name : example.names) {
      fresh += new_name(name, kSmall.seed) ? 1 : 0;
      CHECK(example.text.de.find(name) != std::string::npos);
    }
  }
  CHECK(fresh > 0);
}

TEST_CASE("the translation is a function of the English sentence") {
  Random random(11);
  SentenceSampler sampler(random);
  std::map<std::string, std::string> german;
  std::size_t repeated = 0;
  for (int i = 0; i < 60000; ++i) {
    const Pair pair = realise(sampler.sentence());
    const auto [entry, is_new] = german.emplace(pair.en, pair.de);
    repeated += is_new ? 0 : 1;
    INFO(pair.en);
    if (entry->second != pair.de) CHECK(entry->second == pair.de);
  }
  CHECK(repeated > 10);
}

TEST_CASE("the corpus is as large as it promises") {
  const Corpus& corpus = usual_corpus();
  const Statistics s = statistics(corpus);
  CHECK(corpus.train.size() == 120000);
  CHECK(corpus.dev.size() == 500);
  CHECK(corpus.test.size() == 1000);
  CHECK(corpus.unseen == 100);
  CHECK(s.english_words >= 12);
  CHECK(s.english_forms - s.english_names >= 3000);
  CHECK(s.german_forms - s.german_names >= 3000);
  CHECK(2 * s.tenth_unseen > s.tenth_combinations);
  CHECK(s.test_new_names > 0);
}

TEST_CASE("train holds every English word of the test several times, but for new names") {
  const Corpus& corpus = usual_corpus();
  std::map<std::string, int> counts;
  for (const Example& example : corpus.train) {
    for (const std::string& word : split(plain(example.text.en))) ++counts[word];
  }
  std::size_t rare = 0, all = 0;
  for (const Example& example : corpus.test) {
    std::set<std::string> names;
    for (const std::string& name : example.names) names.insert(lower_first(name));
    for (const std::string& word : split(plain(example.text.en))) {
      ++all;
      const std::string bare = word.ends_with("'s") ? word.substr(0, word.size() - 2) : word;
      if (names.contains(bare) || counts[word] >= 5) continue;
      ++rare;
    }
  }
  CHECK(rare * 1000 < all);
}
