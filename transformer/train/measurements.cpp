#include "transformer/train/measurements.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

namespace transformer::train {
namespace {

std::string key_of(const DevMetric& metric) {
  auto key = metric.name;
  for (auto& letter : key)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return key;
}

std::string as_line(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::string to_line(const Metrics& metrics) {
  constexpr auto kLargest = std::numeric_limits<double>::max();
  nlohmann::ordered_json json{{"step", metrics.step},
                              {"split", metrics.split},
                              {"loss", metrics.loss},
                              {"perplexity", std::min(metrics.perplexity, kLargest)},
                              {"learning_rate", metrics.learning_rate},
                              {"tokens_per_second", metrics.tokens_per_second},
                              {"flops", metrics.flops},
                              {"epoch", metrics.epoch},
                              {"target_tokens", metrics.target_tokens},
                              {"skipped", metrics.skipped},
                              {"seconds", metrics.seconds},
                              {"time", metrics.time}};
  if (metrics.loss_scale) {
    json["loss_scale"] = metrics.loss_scale->value;
    json["overflows"] = metrics.loss_scale->overflows;
  }
  if (metrics.gradient_norm) json["gradient_norm"] = *metrics.gradient_norm;
  if (metrics.metric) json[key_of(*metrics.metric)] = metrics.metric->value;
  return as_line(json);
}

std::string to_line(const SampleLine& sample) {
  return as_line({{"step", sample.step},
                  {"split", "dev"},
                  {"sentence", sample.number},
                  {"source", sample.sample.source},
                  {"reference", sample.sample.reference},
                  {"translation", sample.sample.translation},
                  {"time", sample.time}});
}

}  // namespace transformer::train
