#include "transformer/eval/metric_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <span>
#include <utility>

#include "transformer/base/error.h"
#include "transformer/eval/accuracy.h"
#include "transformer/eval/answer_scores.h"
#include "transformer/eval/bleu.h"
#include "transformer/eval/chrf.h"
#include "transformer/eval/parseval.h"
#include "transformer/eval/perplexity.h"

namespace transformer::eval {
namespace {

struct Row {
  std::string name;
  std::function<Metric(const MetricOptions& options)> make;
};

std::vector<Row>& table() {
  static std::vector<Row> rows{
      {"bleu", bleu_metric},
      {"chrf", chrf_metric},
      {"chrf++", chrf_plus_plus_metric},
      {"parseval", parseval_metric},
      {"accuracy", accuracy_metric},
      {"exact_match", exact_match_metric},
      {"answer_f1", answer_f1_metric},
      {"perplexity", [](const MetricOptions&) { return perplexity_metric(); }},
      {"token_accuracy", [](const MetricOptions&) { return token_accuracy_metric(); }},
      {"bits_per_character", [](const MetricOptions&) { return bits_per_character_metric(); }},
      {"bits_per_byte", [](const MetricOptions&) { return bits_per_byte_metric(); }},
      {"word_perplexity", [](const MetricOptions&) { return word_perplexity_metric(); }},
  };
  return rows;
}

bool is_of_texts(const Row& row) {
  return !row.make({}).is_of_predictions();
}

std::string as_sentence(std::span<const std::string> names) {
  return fmt::format("{} or {}", fmt::join(names.first(names.size() - 1), ", "), names.back());
}

[[noreturn]] void refuse(std::string_view name, std::string_view origin,
                         const std::vector<std::string>& names) {
  throw InputError(fmt::format("{}: expected {}, found '{}'", origin, as_sentence(names), name));
}

}  // namespace

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const auto& row : table())
    if (is_of_texts(row)) names.push_back(row.name);
  return names;
}

std::vector<std::string> score_names() {
  std::vector<std::string> names;
  for (const auto& row : table()) names.push_back(row.name);
  return names;
}

std::string list_metric_names() {
  return as_sentence(metric_names());
}

Metric find_metric(std::string_view name, const MetricOptions& options, std::string_view origin) {
  for (const auto& row : table())
    if (row.name == name && is_of_texts(row)) return row.make(options);
  refuse(name, origin, metric_names());
}

Metric find_score(std::string_view name, std::string_view origin, const MetricOptions& options) {
  for (const auto& row : table())
    if (row.name == name) return row.make(options);
  refuse(name, origin, score_names());
}

void add_metric(const std::string& name, Metric metric) {
  const auto fits = [](unsigned char c) {
    return std::islower(c) || std::isdigit(c) || c == '-' || c == '_';
  };
  if (name.empty() || !std::ranges::all_of(name, fits))
    throw InputError(
        fmt::format("metric: expected a name of small letters, digits, - and _, found '{}'", name));
  if (std::ranges::find(table(), name, &Row::name) != table().end())
    throw InputError(fmt::format("metric '{}': expected another name, found it in the table already", name));
  table().push_back({name, [metric = std::move(metric)](const MetricOptions&) { return metric; }});
}

}  // namespace transformer::eval
