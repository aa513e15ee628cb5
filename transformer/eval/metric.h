// A metric has counts of sentences, which add up, and a score of their sum. It counts either texts that a
// model wrote, or a model's predictions on a given text. metric_table.h lists the metrics. Trainings,
// resampling (significance.h) and reports use only this interface.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transformer/base/choices.h"
#include "transformer/eval/corpus.h"
#include "transformer/eval/signature.h"
#include "transformer/eval/tokenize.h"
#include "transformer/eval/types.h"

namespace transformer::eval {

/// What BLEU makes of an order of n-grams without a match, by sacreBLEU's names.
enum class Smoothing {
  exp,    ///< the k-th such precision is 100 / (2^k · total)
  floor,  ///< as if `value` of the n-grams had matched
  add_k,  ///< `value` is added to matches and totals of all orders above 1
  none,   ///< the score is 0
};

constexpr const char* name_of(Smoothing smoothing) {
  switch (smoothing) {
    case Smoothing::exp:
      return "exp";
    case Smoothing::floor:
      return "floor";
    case Smoothing::add_k:
      return "add-k";
    case Smoothing::none:
      return "none";
  }
  no_such_choice();
}

/// The value that a method takes, if none is given; nothing for a method without one.
constexpr std::optional<double> usual_value(Smoothing smoothing) {
  switch (smoothing) {
    case Smoothing::floor:
      return 0.1;
    case Smoothing::add_k:
      return 1.0;
    case Smoothing::exp:
    case Smoothing::none:
      return std::nullopt;
  }
  no_such_choice();
}

struct BleuOptions {
  Smoothing smoothing = Smoothing::exp;
  std::optional<double> value = {};  ///< of floor and add_k
  bool effective_order = false;      ///< orders that a hypothesis is too short for do not count

  bool operator==(const BleuOptions&) const = default;
};

struct ChrfOptions {
  int word_order = 0;          ///< word n-grams beside the characters', 0 to 2: 0 is chrF, 2 is chrF++
  int beta = 2;                ///< recall counts beta times as much as precision
  bool whitespace = false;     ///< n-grams of characters hold blanks
  bool eps_smoothing = false;  ///< orders without n-grams count as almost 0, as in NLTK and chrF++.py

  bool operator==(const ChrfOptions&) const = default;
};

/// How text is read, and what is made of its counts.
struct MetricOptions {
  Tokenization tokenization = Tokenization::v13a;  ///< of BLEU; chrF has its own way
  bool lowercase = false;
  BleuOptions bleu = {};
  ChrfOptions chrf = {};  ///< of chrF++ the word order is 2

  bool operator==(const MetricOptions&) const = default;
};

/// All that a metric needs to know of a sentence, always as many numbers. The counts of a corpus are the sum
/// of its sentences' counts, so resampling sentences needs no second look at the text.
using Counts = std::vector<std::int64_t>;

struct Metric {
  std::string name;  ///< in results: "BLEU", "chrF2"
  /// What the score was measured with besides the number of references and the case, for the signature.
  SignatureFields fields = {};
  bool lowercase = false;
  bool less_is_better = false;
  double most = 100;  ///< the highest score there is; the lowest is 0
  // One of the following two.
  /// The counts of one sentence against one or more references.
  std::function<Counts(std::string_view hypothesis, const Sentences& references)> count = {};
  /// The counts of one sentence's tokens, its end's among them.
  std::function<Counts(std::span<const Prediction>)> count_predictions = {};
  /// The score of a sentence's or a corpus's counts.
  std::function<double(std::span<const std::int64_t>)> score = {};
  /// What is printed after the score; may be empty.
  std::function<std::string(std::span<const std::int64_t>)> detail = {};

  /// Whether it is of predictions, and not of texts.
  bool is_of_predictions() const { return static_cast<bool>(count_predictions); }
};

/// The name where only small letters stand, in metrics.jsonl, CSV and names of files: "bleu", "chrf2".
std::string key_of(const Metric& metric);

/// The counts of each sentence of a corpus. Throws InputError when the line counts differ or there are none.
std::vector<Counts> count_sentences(const Metric& metric, const Corpus& corpus);

/// The counts of a corpus.
Counts sum_of(const std::vector<Counts>& sentences);

/// The score of a corpus. Throws InputError as count_sentences does.
double corpus_score(const Metric& metric, const Corpus& corpus);

/// "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:…"; of predictions without references and case.
std::string signature_of(const Metric& metric, std::size_t references, const Draws& draws = {});

// A metric may name its counts in a struct of nothing but std::int64_t, and hand them on as numbers.

template <typename Named>
using NumbersOf = std::array<std::int64_t, sizeof(Named) / sizeof(std::int64_t)>;

template <typename Named>
Counts to_counts(const Named& named) {
  const auto numbers = std::bit_cast<NumbersOf<Named>>(named);
  return {numbers.begin(), numbers.end()};
}

template <typename Named>
Named from_counts(std::span<const std::int64_t> counts) {
  NumbersOf<Named> numbers{};
  std::copy_n(counts.begin(), numbers.size(), numbers.begin());
  return std::bit_cast<Named>(numbers);
}

}  // namespace transformer::eval
