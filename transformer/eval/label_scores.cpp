#include "transformer/eval/label_scores.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "transformer/base/error.h"
#include "transformer/eval/answer_scores.h"

namespace transformer::eval {
namespace {

using Pair = std::pair<std::string, std::string>;  // found, expected

void check_lines(LabelLines found, LabelLines expected) {
  if (found.size() != expected.size() || found.empty())
    throw InputError(fmt::format("labels: expected equally many lines, and one at least, found {} and {}",
                                 found.size(), expected.size()));
}

std::vector<Pair> pairs_of(LabelLines found, LabelLines expected) {
  check_lines(found, expected);
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto a = labels_of(found[i]), b = labels_of(expected[i]);
    if (a.size() != b.size())
      throw InputError(
          fmt::format("labels, line {}: expected {} labels, found {}", i + 1, b.size(), a.size()));
    for (std::size_t j = 0; j < a.size(); ++j) pairs.emplace_back(a[j], b[j]);
  }
  return pairs;
}

double f1(double right, double found, double expected) {
  return found + expected > 0 ? 2 * right / (found + expected) : 0;
}

/// How often each label is found, expected, and both.
struct LabelCounts {
  double found = 0, expected = 0, right = 0;
};

std::map<std::string, LabelCounts> counts_of(const std::vector<Pair>& pairs) {
  std::map<std::string, LabelCounts> counts;
  for (const auto& [found, expected] : pairs) {
    ++counts[found].found;
    ++counts[expected].expected;
    if (found == expected) ++counts[found].right;
  }
  return counts;
}

std::vector<double> numbers_of(LabelLines lines) {
  std::vector<double> numbers;
  for (const auto& line : lines) numbers.push_back(number_of_label(line));
  return numbers;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto count = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / count,
               mean_b = std::accumulate(b.begin(), b.end(), 0.0) / count;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

std::vector<double> ranks_of(const std::vector<double>& numbers) {
  std::vector<std::size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return numbers[i]; });
  std::vector<double> ranks(numbers.size());
  for (std::size_t begin = 0; begin < order.size();) {
    auto end = begin;
    while (end < order.size() && numbers[order[end]] == numbers[order[begin]]) ++end;
    for (auto i = begin; i < end; ++i) ranks[order[i]] = static_cast<double>(begin + end - 1) / 2;
    begin = end;
  }
  return ranks;
}

/// Its line, type, first and last word.
using Entity = std::tuple<std::size_t, std::string, std::size_t, std::size_t>;

/// By conlleval's rules, as seqeval has them.
void add_entities(std::size_t line, const std::vector<std::string>& labels, std::set<Entity>& entities) {
  char before = 'O';
  std::string type_before;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= labels.size(); ++i) {
    const auto label = i < labels.size() ? labels[i] : std::string("O");
    const char tag = label.front();
    const bool is_entity =
        std::string_view("BIES").find(tag) != std::string_view::npos && label.size() > 2 && label[1] == '-';
    if (!is_entity && label != "O")
      throw InputError(fmt::format(
          "labels, line {}: expected O or labels such as B-PER and I-PER, found '{}'", line + 1, label));
    const auto type = is_entity ? label.substr(2) : std::string();
    const bool inside = before != 'O';
    const bool other_type = type != type_before;
    const bool ends = before == 'E' || before == 'S' || tag == 'B' || tag == 'S' || tag == 'O';
    if (inside && (ends || other_type)) entities.emplace(line, type_before, begin, i - 1);
    const bool starts = tag == 'B' || tag == 'S' || before == 'E' || before == 'S' || !inside;
    if (is_entity && (starts || other_type)) begin = i;
    before = tag;
    type_before = type;
  }
}

std::set<Entity> entities_of(LabelLines lines) {
  std::set<Entity> entities;
  for (std::size_t i = 0; i < lines.size(); ++i) add_entities(i, labels_of(lines[i]), entities);
  return entities;
}

const std::vector<LabelScore>& scores() {
  static const std::vector<LabelScore> all{{"accuracy", accuracy},       {"macro_f1", macro_f1},
                                           {"matthews", matthews},       {"pearson", pearson},
                                           {"spearman", spearman},       {"entity_f1", entity_f1},
                                           {"exact_match", exact_match}, {"answer_f1", answer_f1}};
  return all;
}

}  // namespace

double exact_match(LabelLines found, LabelLines expected) {
  check_lines(found, expected);
  double sum = 0;
  for (std::size_t i = 0; i < found.size(); ++i) sum += is_exact_answer(found[i], expected[i]) ? 1 : 0;
  return sum / static_cast<double>(found.size());
}

double answer_f1(LabelLines found, LabelLines expected) {
  check_lines(found, expected);
  double sum = 0;
  for (std::size_t i = 0; i < found.size(); ++i) sum += answer_overlap(found[i], expected[i]);
  return sum / static_cast<double>(found.size());
}

std::vector<std::string> labels_of(std::string_view line) {
  std::vector<std::string> labels;
  constexpr std::string_view kBlanks = " \t\r";
  for (auto begin = line.find_first_not_of(kBlanks); begin != std::string_view::npos;) {
    const auto end = std::min(line.find_first_of(kBlanks, begin), line.size());
    labels.emplace_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kBlanks, end);
  }
  return labels;
}

double number_of_label(std::string_view label) {
  const auto labels = labels_of(label);
  double number = 0;
  if (labels.size() == 1) {
    const auto& text = labels.front();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size() && std::isfinite(number)) return number;
  }
  throw InputError(fmt::format("expected a number as a label, found '{}'", label));
}

double accuracy(LabelLines found, LabelLines expected) {
  const auto pairs = pairs_of(found, expected);
  const auto right = std::ranges::count_if(pairs, [](const Pair& pair) { return pair.first == pair.second; });
  return pairs.empty() ? 0 : static_cast<double>(right) / static_cast<double>(pairs.size());
}

double macro_f1(LabelLines found, LabelLines expected) {
  const auto counts = counts_of(pairs_of(found, expected));
  double sum = 0;
  for (const auto& [label, count] : counts) sum += f1(count.right, count.found, count.expected);
  return counts.empty() ? 0 : sum / static_cast<double>(counts.size());
}

double matthews(LabelLines found, LabelLines expected) {
  const auto pairs = pairs_of(found, expected);
  const auto all = static_cast<double>(pairs.size());
  double right = 0, both = 0, found_squared = 0, expected_squared = 0;
  for (const auto& [label, count] : counts_of(pairs)) {
    right += count.right;
    both += count.found * count.expected;
    found_squared += count.found * count.found;
    expected_squared += count.expected * count.expected;
  }
  const double below = (all * all - found_squared) * (all * all - expected_squared);
  return below > 0 ? (right * all - both) / std::sqrt(below) : 0;
}

double pearson(LabelLines found, LabelLines expected) {
  check_lines(found, expected);
  return correlation(numbers_of(found), numbers_of(expected));
}

double spearman(LabelLines found, LabelLines expected) {
  check_lines(found, expected);
  return correlation(ranks_of(numbers_of(found)), ranks_of(numbers_of(expected)));
}

double entity_f1(LabelLines found, LabelLines expected) {
  pairs_of(found, expected);  // refuses other numbers of labels
  const auto a = entities_of(found), b = entities_of(expected);
  const auto right = std::ranges::count_if(a, [&](const Entity& entity) { return b.contains(entity); });
  return f1(static_cast<double>(right), static_cast<double>(a.size()), static_cast<double>(b.size()));
}

std::vector<std::string> label_score_names() {
  std::vector<std::string> names;
  for (const auto& score : scores()) names.push_back(score.name);
  return names;
}

const LabelScore& find_label_score(std::string_view name, std::string_view origin) {
  const auto found = std::ranges::find(scores(), name, &LabelScore::name);
  if (found != scores().end()) return *found;
  throw InputError(fmt::format("{}: expected one of {} for labels, found '{}'", origin,
                               fmt::join(label_score_names(), ", "), name));
}

}  // namespace transformer::eval
