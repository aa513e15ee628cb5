#include "transformer/experiments/metrics.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "transformer/report/training_time.h"

namespace transformer::experiments {
namespace {

/// One line, or a discarded value.
nlohmann::json parse_line(const std::string& line) {
  auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  const bool ours =
      json.is_object() && json.contains("step") && json["step"].is_number() && json.contains("split");
  return ours ? json : nlohmann::json(nlohmann::json::value_t::discarded);
}

/// NaN is written as null.
double number(const nlohmann::json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_number() ? found->get<double>()
                                                   : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

void read_metrics(const std::filesystem::path& metrics, report::Run& run) {
  std::ifstream file(metrics);
  report::TrainingTime training;
  for (std::string line; std::getline(file, line);) {
    const auto json = parse_line(line);
    if (json.is_discarded()) continue;
    run.steps = std::max<std::int64_t>(run.steps, json["step"]);
    run.flops = number(json, "flops");
    run.seconds = training.add(number(json, "seconds"), number(json, "time"));
    if (json["split"] != "dev") continue;
    report::CurvePoint point{.step = json["step"], .perplexity = number(json, "perplexity")};
    if (json.contains("bleu")) point.bleu = number(json, "bleu");
    run.curve.push_back(point);
  }
}

}  // namespace transformer::experiments
