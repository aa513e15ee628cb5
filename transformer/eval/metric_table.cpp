#include "transformer/eval/metric_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <span>

#include "transformer/base/error.h"
#include "transformer/eval/bleu.h"
#include "transformer/eval/chrf.h"

namespace transformer::eval {
namespace {

struct Row {
  std::string_view name;
  Metric (*make)(const MetricOptions& options);
};

constexpr std::array kMetrics{
    Row{"bleu", bleu_metric},
    Row{"chrf", chrf_metric},
    Row{"chrf++", chrf_plus_plus_metric},
};

}  // namespace

const std::vector<std::string>& metric_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& row : kMetrics) all.emplace_back(row.name);
    return all;
  }();
  return names;
}

std::string list_metric_names() {
  const std::span names(metric_names());
  return fmt::format("{} or {}", fmt::join(names.first(names.size() - 1), ", "), names.back());
}

Metric find_metric(std::string_view name, const MetricOptions& options, std::string_view origin) {
  for (const auto& row : kMetrics)
    if (row.name == name) return row.make(options);
  throw InputError(fmt::format("{}: expected {}, found '{}'", origin, list_metric_names(), name));
}

}  // namespace transformer::eval
