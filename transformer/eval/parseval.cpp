#include "transformer/eval/parseval.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "transformer/base/error.h"
#include "transformer/eval/text.h"
#include "transformer/trees/linearised_tree.h"

namespace transformer::eval {
namespace {

using trees::BracketedTree;
using trees::Constituent;
using trees::TaggedWord;

constexpr auto kDeletedTags = std::to_array<std::string_view>({",", ":", "``", "''", ".", "-NONE-"});
constexpr auto kDeletedLabels = std::to_array<std::string_view>({"TOP", "S1", ""});
constexpr std::size_t kShort = 40;

bool is_untagged(const TaggedWord& word) {
  return word.tag == trees::kAnyTag;
}

bool is_among(std::string_view label, std::span<const std::string_view> labels) {
  return std::ranges::find(labels, label) != labels.end();
}

/// What counts of a tree: words are numbered without those that do not.
struct Counted {
  std::vector<Constituent> constituents;
  std::vector<TaggedWord> words;
  std::size_t length = 0;  ///< words, punctuation among them
};

Counted counted(const BracketedTree& tree) {
  Counted result;
  std::vector<std::size_t> places;  // of each word, and behind the last
  for (const auto& word : tree.words) {
    places.push_back(result.words.size());
    if (word.tag != "-NONE-") ++result.length;
    if (!is_among(word.tag, kDeletedTags)) result.words.push_back(word);
  }
  places.push_back(result.words.size());
  for (const auto& constituent : tree.constituents) {
    const auto label = trees::plain_label(constituent.label);
    const auto begin = places[constituent.begin], end = places[constituent.end];
    if (is_among(label, kDeletedLabels) || begin == end) continue;
    result.constituents.push_back({std::string(label == "PRT" ? "ADVP" : label), begin, end});
  }
  return result;
}

std::optional<BracketedTree> tree_if_any(std::string_view line) {
  try {
    return trees::parse_tree(line);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// Punctuation is told by its tags.
void take_tags(BracketedTree& tree, const BracketedTree& reference) {
  if (tree.words.size() != reference.words.size()) return;
  for (std::size_t i = 0; i < tree.words.size(); ++i) tree.words[i].tag = reference.words[i].tag;
}

bool have_equal_words(const Counted& a, const Counted& b, bool ignore_case) {
  return std::ranges::equal(a.words, b.words, [&](const TaggedWord& one, const TaggedWord& other) {
    return one.word == other.word || (ignore_case && lowercase(one.word) == lowercase(other.word));
  });
}

/// Each one overlaps the other, and neither contains the other.
bool cross(const Constituent& a, const Constituent& b) {
  return (a.begin < b.begin && b.begin < a.end && a.end < b.end) ||
         (b.begin < a.begin && a.begin < b.end && b.end < a.end);
}

ParsevalSums sums_of(const Counted& found, const Counted& gold) {
  ParsevalSums sums{.sentences = 1,
                    .gold = std::ssize(gold.constituents),
                    .found = std::ssize(found.constituents),
                    .words = std::ssize(gold.words)};
  auto left = gold.constituents;  // those that have served no found one
  for (const auto& constituent : found.constituents) {
    if (const auto match = std::ranges::find(left, constituent); match != left.end()) {
      ++sums.matched;
      left.erase(match);
    }
    sums.crossing +=
        std::ranges::any_of(gold.constituents, [&](const auto& other) { return cross(constituent, other); });
  }
  sums.complete = sums.matched == sums.gold && sums.matched == sums.found;
  sums.uncrossed = sums.crossing == 0;
  for (std::size_t i = 0; i < gold.words.size(); ++i) sums.tags += found.words[i].tag == gold.words[i].tag;
  return sums;
}

double percent(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

/// "P 88.1 R 87.9 complete 31.2 crossing 0.91 tags 96.4"
std::string describe(const ParsevalSums& sums) {
  const double crossing =
      sums.sentences == 0 ? 0 : static_cast<double>(sums.crossing) / static_cast<double>(sums.sentences);
  return fmt::format("P {:.2f} R {:.2f} complete {:.2f} crossing {:.2f} uncrossed {:.2f} {}",
                     percent(sums.matched, sums.found), percent(sums.matched, sums.gold),
                     percent(sums.complete, sums.sentences), crossing,
                     percent(sums.uncrossed, sums.sentences),
                     sums.words > 0 ? fmt::format("tags {:.2f}", percent(sums.tags, sums.words)) : "no tags");
}

std::string describe(const ParsevalCounts& counts) {
  return fmt::format("{} ({} sentences, {} errors; up to {} words: F1 {:.2f} {}, {} sentences)",
                     describe(counts.all), counts.all.sentences, counts.errors, kShort,
                     parseval_f1(counts.up_to_40), describe(counts.up_to_40), counts.up_to_40.sentences);
}

}  // namespace

ParsevalCounts parseval_counts(std::string_view hypothesis, std::string_view reference, bool ignore_case) {
  BracketedTree whole;
  try {
    whole = trees::parse_tree(reference);
  } catch (const InputError& error) {
    throw InputError(fmt::format("a reference that is no tree: {}", error.what()));
  }
  const auto gold = counted(whole);
  auto tree = tree_if_any(hypothesis);
  const bool tagged = tree && !std::ranges::all_of(tree->words, is_untagged);
  if (tree && !tagged) take_tags(*tree, whole);
  const auto found = tree ? counted(*tree) : Counted();
  ParsevalCounts counts;
  if (!tree || !have_equal_words(found, gold, ignore_case)) {
    counts.errors = 1;
    return counts;
  }
  counts.all = sums_of(found, gold);
  if (!tagged) counts.all.words = counts.all.tags = 0;
  if (gold.length <= kShort) counts.up_to_40 = counts.all;
  return counts;
}

double parseval_f1(const ParsevalSums& sums) {
  return percent(2 * sums.matched, sums.gold + sums.found);
}

Metric parseval_metric(const MetricOptions& options) {
  return {
      .name = "PARSEVAL",
      .fields = {{"labels", "yes"}, {"equal", "ADVP=PRT"}, {"without", "punctuation,TOP"}},
      .lowercase = options.lowercase,
      .count =
          [ignore_case = options.lowercase](std::string_view hypothesis, const Sentences& references) {
            if (references.size() != 1)
              throw InputError(fmt::format("parseval: expected one reference, found {}", references.size()));
            return to_counts(parseval_counts(hypothesis, references.front(), ignore_case));
          },
      .score =
          [](std::span<const std::int64_t> sum) { return parseval_f1(from_counts<ParsevalCounts>(sum).all); },
      .detail = [](std::span<const std::int64_t> sum) { return describe(from_counts<ParsevalCounts>(sum)); }};
}

}  // namespace transformer::eval
