#include "transformer/train/metrics_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"

namespace transformer::train {
namespace {

bool belongs_to(const std::string& line, std::int64_t last_step) {
  const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  return json.is_object() && json.contains("step") && json["step"].is_number_integer() &&
         json["step"].get<std::int64_t>() <= last_step;
}

void drop_later_lines(const std::filesystem::path& path, std::int64_t step) {
  std::ifstream file(path);
  if (!file) return;
  std::string kept, line;
  while (std::getline(file, line))
    if (belongs_to(line, step)) kept += line + "\n";
  write_file_atomically(path, kept);
}

}  // namespace

MetricsFile::MetricsFile(const std::filesystem::path& path, std::int64_t step) : path_(path) {
  drop_later_lines(path, step);
  file_.open(path, std::ios::app);
  if (!file_) throw RunError(fmt::format("{}: cannot be opened for writing", path.string()));
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
                              {"seconds", metrics.seconds}};
  if (metrics.gradient_norm) json["gradient_norm"] = *metrics.gradient_norm;
  if (metrics.bleu) json["bleu"] = *metrics.bleu;
  file_ << json.dump() << '\n' << std::flush;
  if (!file_) throw RunError(fmt::format("{}: cannot be written (disk full?)", path_.string()));
}

}  // namespace transformer::train
