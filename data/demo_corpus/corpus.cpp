#include "data/demo_corpus/corpus.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "data/demo_corpus/random.h"
#include "data/demo_corpus/sentence_sampler.h"
#include "data/demo_corpus/words.h"

namespace transformer::demo {
namespace {

constexpr std::size_t kShortest = 6, kLongest = 22;  // English words in a sentence

std::size_t held_out_count(const Example& example, std::uint64_t seed) {
  return static_cast<std::size_t>(
      std::count_if(example.combinations.begin(), example.combinations.end(),
                    [&](const std::string& pair) { return held_out(pair, seed); }));
}

bool has_new_name(const Example& example, std::uint64_t seed) {
  return std::any_of(example.names.begin(), example.names.end(),
                     [&](const std::string& name) { return new_name(name, seed); });
}

// Draws sentences that no earlier draw gave, in either language.
class Source {
 public:
  explicit Source(std::uint64_t seed) : random_(seed), sampler_(random_) {}

  Example next() {
    while (true) {
      const Sentence sentence = sampler_.sentence();
      Example example{realise(sentence), combinations(sentence), copied_names(sentence)};
      const std::size_t words = split(example.text.en).size();
      if (words < kShortest || words > kLongest) continue;
      // A sentence that only one side has seen counts as seen.
      const bool known = english_.contains(example.text.en) || german_.contains(example.text.de);
      if (known) continue;
      return example;
    }
  }

  void keep(std::vector<Example>& split, Example example) {
    english_.insert(example.text.en);
    german_.insert(example.text.de);
    split.push_back(std::move(example));
  }

 private:
  Random random_;
  SentenceSampler sampler_;
  std::unordered_set<std::string> english_, german_;
};

struct Side {
  std::unordered_set<std::string> forms, names;
  std::size_t words = 0;

  void add(const std::string& text, const std::unordered_set<std::string>& copied) {
    for (std::string word : split(text)) {
      while (!word.empty() && std::string_view(".,?").find(word.back()) != std::string_view::npos)
        word.pop_back();
      if (word.empty()) continue;
      ++words;
      // A name may carry the genitive: Anna's, Annas.
      const std::string bare = word.substr(0, word.size() - (word.ends_with("'s")  ? 2
                                                             : word.ends_with("s") ? 1
                                                                                   : 0));
      if (copied.contains(word) || copied.contains(bare)) {
        names.insert(word);
      } else {
        forms.insert(lower(word));
      }
    }
  }
};

}  // namespace

bool held_out(const std::string& combination, std::uint64_t seed) {
  return stable_hash(combination, seed) % kHeldOutEvery == 0;
}

bool new_name(const std::string& name, std::uint64_t seed) {
  const auto& first = lexicon().names.first;
  const bool common = std::find(first.begin(), first.end(), name) != first.end();
  return !common && stable_hash("name " + name, seed) % kNewNameEvery == 0;
}

Corpus make_corpus(const CorpusOptions& options) {
  Corpus corpus;
  Source source(options.seed);
  const std::size_t unseen = options.test / 10;
  std::vector<Example> last;
  while (last.size() < unseen) {
    Example example = source.next();
    const std::size_t held = held_out_count(example, options.seed);
    if (held >= 2 && 2 * held >= example.combinations.size()) source.keep(last, std::move(example));
  }
  while (corpus.test.size() < options.test - unseen) {
    Example example = source.next();
    if (held_out_count(example, options.seed) == 0) source.keep(corpus.test, std::move(example));
  }
  const auto fill = [&](std::vector<Example>& split, std::size_t size) {
    while (split.size() < size) {
      Example example = source.next();
      if (held_out_count(example, options.seed) > 0 || has_new_name(example, options.seed)) continue;
      source.keep(split, std::move(example));
    }
  };
  fill(corpus.dev, options.dev);
  fill(corpus.train, options.train);
  corpus.unseen = last.size();
  std::move(last.begin(), last.end(), std::back_inserter(corpus.test));
  return corpus;
}

Statistics statistics(const Corpus& corpus) {
  Statistics result;
  Side english, german;
  std::unordered_set<std::string> seen, names;
  for (const auto* split : {&corpus.train, &corpus.dev, &corpus.test}) {
    result.pairs += split->size();
    for (const Example& example : *split) {
      const std::unordered_set<std::string> copied(example.names.begin(), example.names.end());
      english.add(example.text.en, copied);
      german.add(example.text.de, copied);
      if (split != &corpus.train) continue;
      seen.insert(example.combinations.begin(), example.combinations.end());
      names.insert(example.names.begin(), example.names.end());
    }
  }
  const double pairs = result.pairs == 0 ? 1 : static_cast<double>(result.pairs);
  result.english_words = static_cast<double>(english.words) / pairs;
  result.german_words = static_cast<double>(german.words) / pairs;
  result.english_names = english.names.size();
  result.german_names = german.names.size();
  result.english_forms = english.forms.size() + english.names.size();
  result.german_forms = german.forms.size() + german.names.size();
  for (std::size_t i = 0; i < corpus.test.size(); ++i) {
    const bool tenth = i + corpus.unseen >= corpus.test.size();
    for (const std::string& pair : corpus.test[i].combinations) {
      const std::size_t unseen = seen.contains(pair) ? 0 : 1;
      ++result.test_combinations;
      result.test_unseen += unseen;
      if (tenth) ++result.tenth_combinations;
      if (tenth) result.tenth_unseen += unseen;
    }
    for (const std::string& name : corpus.test[i].names) {
      ++result.test_names;
      if (!names.contains(name)) ++result.test_new_names;
    }
  }
  return result;
}

}  // namespace transformer::demo
