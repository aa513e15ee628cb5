#include "transformer/train/metrics_file.h"

#include <cerrno>
#include <nlohmann/json.hpp>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"

namespace transformer::train {
namespace {

bool is_kept(const std::string& line, std::int64_t step, std::int64_t evaluated) {
  const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("step") || !json["step"].is_number_integer()) return false;
  return json["step"].get<std::int64_t>() <= (json.value("split", "") == "dev" ? evaluated : step);
}

std::string key_of(const DevMetric& metric) {
  auto key = metric.name;
  for (auto& letter : key)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return key;
}

/// Leaves a file of which all is kept untouched.
void drop_repeated_lines(const std::filesystem::path& path, std::int64_t step, std::int64_t evaluated) {
  std::ifstream file(path);
  if (!file) return;
  std::string kept, line;
  bool all = true;
  while (std::getline(file, line)) {
    const bool keep = is_kept(line, step, evaluated);
    if (keep) kept += line + "\n";
    all = all && keep && !file.eof();  // at its end already: the line lacks its line end
  }
  if (!all) write_file_atomically(path, kept);
}

}  // namespace

MetricsFile::MetricsFile(const std::filesystem::path& path, std::int64_t step, std::int64_t evaluated)
    : path_(path) {
  drop_repeated_lines(path, step, evaluated);
  errno = 0;
  file_.open(path, std::ios::app);
  if (!file_) throw_file_error(path, "opening", errno);
}

void MetricsFile::write(const Metrics& metrics) {
  nlohmann::ordered_json json{{"step", metrics.step},
                              {"split", metrics.split},
                              {"loss", metrics.loss},
                              {"perplexity", metrics.perplexity},
                              {"learning_rate", metrics.learning_rate},
                              {"tokens_per_second", metrics.tokens_per_second},
                              {"flops", metrics.flops},
                              {"epoch", metrics.epoch},
                              {"target_tokens", metrics.target_tokens},
                              {"skipped", metrics.skipped},
                              {"seconds", metrics.seconds}};
  if (metrics.loss_scale) {
    json["loss_scale"] = metrics.loss_scale->value;
    json["overflows"] = metrics.loss_scale->overflows;
  }
  if (metrics.gradient_norm) json["gradient_norm"] = *metrics.gradient_norm;
  if (metrics.metric) json[key_of(*metrics.metric)] = metrics.metric->value;
  errno = 0;
  file_ << json.dump() << '\n' << std::flush;
  if (!file_) throw_file_error(path_, "writing", errno);
}

void MetricsFile::sync() const {
  sync_to_disk(path_, path_);
}

}  // namespace transformer::train
