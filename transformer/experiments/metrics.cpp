#include "transformer/experiments/metrics.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "transformer/report/training_time.h"
#include "transformer/train/step_lines.h"

namespace transformer::experiments {
namespace {

/// NaN is written as null.
double number(const nlohmann::json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_number() ? found->get<double>()
                                                   : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

void read_metrics(const std::filesystem::path& metrics, report::Run& run) {
  report::TrainingTime training;
  train::for_each_step_line(metrics, [&](const nlohmann::json& line) {
    const auto step = line["step"].get<std::int64_t>();
    run.steps = std::max(run.steps, step);
    run.flops = number(line, "flops");
    run.seconds = training.add(number(line, "seconds"), number(line, "time"));
    if (!line.contains("split") || line["split"] != "dev") return;
    report::CurvePoint point{.step = step, .perplexity = number(line, "perplexity")};
    if (line.contains("bleu")) point.bleu = number(line, "bleu");
    run.curve.push_back(point);
  });
}

}  // namespace transformer::experiments
