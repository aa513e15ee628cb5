// The demo corpus: train, dev and test, and what can be said about them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "data/demo_corpus/grammar.h"

namespace transformer::demo {

struct CorpusOptions {
  std::uint64_t seed = 1;
  std::size_t train = 120000;
  std::size_t dev = 500;
  std::size_t test = 1000;
};

/// A sentence of the corpus with its word combinations.
struct Example {
  Pair text;
  std::vector<std::string> combinations;
  std::vector<std::string> names;
};

struct Corpus {
  std::vector<Example> train, dev, test;
  std::size_t unseen = 0;  ///< how many lines at the end of test are made of held-out combinations
};

/// One in kHeldOutEvery word combinations never occurs in train or dev, and one in kNewNameEvery names.
constexpr std::uint64_t kHeldOutEvery = 10;
constexpr std::uint64_t kNewNameEvery = 10;
bool held_out(const std::string& combination, std::uint64_t seed);
bool new_name(const std::string& name, std::uint64_t seed);

/// The corpus of a seed. Test and dev do not depend on the size of train. No English and no German sentence
/// occurs twice. A sentence of the last tenth of test has at least two held-out combinations, and as many
/// held-out ones as others; no other sentence has any.
Corpus make_corpus(const CorpusOptions& options);

struct Statistics {
  std::size_t pairs = 0;
  double english_words = 0, german_words = 0;  ///< a sentence, without punctuation
  std::size_t english_forms = 0, german_forms = 0;
  std::size_t english_names = 0, german_names = 0;       ///< how many of the forms are copied names
  std::size_t test_combinations = 0, test_unseen = 0;    ///< in all of test; of them never in train
  std::size_t tenth_combinations = 0, tenth_unseen = 0;  ///< in the last tenth of test
  std::size_t test_names = 0, test_new_names = 0;
};

Statistics statistics(const Corpus& corpus);

}  // namespace transformer::demo
