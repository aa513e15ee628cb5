#include "apps/evaluate/output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/common/six_decimals.h"

namespace transformer::apps {
namespace {

/// Names are sacreBLEU's, where it has any.
nlohmann::ordered_json to_json(const eval::MetricResult& result) {
  nlohmann::ordered_json json = {
      {"name", result.name}, {"score", six_decimals(result.score)}, {"signature", result.signature}};
  if (const auto& interval = result.interval) {
    json["confidence_mean"] = six_decimals(interval->mean);
    json["confidence_var"] = six_decimals(interval->half_width);
    json["confidence"] = eval::format_interval(*interval);
  }
  if (const auto& baseline = result.baseline) {
    json["baseline"] = six_decimals(baseline->score);
    json["difference"] = six_decimals(baseline->bootstrap.difference);
    json["p_bootstrap"] = six_decimals(baseline->bootstrap.sacrebleu_p_value);
    json["p_bootstrap_two_sided"] = six_decimals(baseline->bootstrap.p_value);
    json["p_randomization"] = six_decimals(baseline->randomization.p_value);
  }
  for (const auto& group : result.by_length) {
    nlohmann::ordered_json one = {{"words", eval::words_of(group)}, {"sentences", group.sentences}};
    if (group.sentences > 0) {
      one["score"] = six_decimals(group.score);
      one["confidence_mean"] = six_decimals(group.interval.mean);
      one["confidence_var"] = six_decimals(group.interval.half_width);
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
