#include "transformer/experiments/metrics.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "transformer/report/line_value.h"
#include "transformer/report/training_time.h"
#include "transformer/train/step_lines.h"

namespace transformer::experiments {
void read_metrics(const std::filesystem::path& metrics, const std::string& score, report::Run& run) {
  report::TrainingTime training;
  train::for_each_step_line(metrics, [&](const nlohmann::json& line, const std::string&) {
    const auto step = line["step"].get<std::int64_t>();
    run.steps = std::max(run.steps, step);
    run.flops = report::line_value(line, "flops");
    run.seconds = training.add(report::line_value(line, "seconds"), report::line_value(line, "time"));
    if (!line.contains("split") || line["split"] != "dev") return;
    report::CurvePoint point{.step = step, .perplexity = report::line_value(line, "perplexity")};
    if (line.contains(score)) point.score = report::line_value(line, score.c_str());
    run.curve.push_back(point);
  });
}

}  // namespace transformer::experiments
