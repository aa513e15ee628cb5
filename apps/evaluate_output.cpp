#include "apps/evaluate_output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace transformer::apps {
namespace {

/// Six decimals, so that a perfect score reads 100.0 whatever the last bits are.
double rounded(double value) {
  return std::stod(fmt::format("{:.6f}", value));
}

/// Names are sacreBLEU's, where it has any.
nlohmann::ordered_json to_json(const eval::MetricResult& result) {
  nlohmann::ordered_json json = {
      {"name", result.name}, {"score", rounded(result.score)}, {"signature", result.signature}};
  if (const auto& interval = result.interval) {
    json["confidence_mean"] = rounded(interval->mean);
    json["confidence_var"] = rounded(interval->half_width);
    json["confidence"] = eval::format_interval(*interval);
  }
  if (const auto& baseline = result.baseline) {
    json["baseline"] = rounded(baseline->score);
    json["difference"] = rounded(baseline->bootstrap.difference);
    json["p_bootstrap"] = rounded(baseline->bootstrap.p_value);
    json["p_randomization"] = rounded(baseline->randomization.p_value);
  }
  for (const auto& group : result.by_length) {
    nlohmann::ordered_json one = {{"words", eval::words_of(group)}, {"sentences", group.sentences}};
    if (group.sentences > 0) {
      one["score"] = rounded(group.score);
      one["confidence_mean"] = rounded(group.interval.mean);
      one["confidence_var"] = rounded(group.interval.half_width);
    }
    json["by_length"].push_back(std::move(one));
  }
  return json;
}

}  // namespace

void print_results(const std::vector<eval::MetricResult>& results, bool as_json) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& result : results) {
    if (as_json) {
      list.push_back(to_json(result));
      continue;
    }
    fmt::print("{}\n", eval::format_result(result));
    if (result.baseline) fmt::print("{}\n", eval::format_comparison(result));
    for (const auto& line : eval::format_by_length(result)) fmt::print("{}\n", line);
  }
  if (as_json) fmt::print("{}\n", list.dump(1));
}

}  // namespace transformer::apps
