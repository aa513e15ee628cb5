#include "apps/sweep/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <utility>

#include "apps/common/six_decimals.h"
#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/output_place.h"
#include "transformer/base/streams.h"
#include "transformer/base/text_file.h"

namespace transformer::apps {
namespace {

constexpr std::array kMeasured = {"brevity_penalty", "length_ratio", "seconds"};  // besides the metric

/// All of a line that is not measured.
std::string key_of(nlohmann::json line, const std::string& metric) {
  line.erase(metric);
  for (const auto* name : kMeasured) line.erase(name);
  return line.dump();
}

bool is_sweep_line(const nlohmann::json& line) {
  return line.is_object() && line.contains("average") && line.contains("beam") && line.contains("alpha") &&
         std::ranges::all_of(
             kMeasured, [&](const char* name) { return line.contains(name) && line.at(name).is_number(); });
}

/// Whether to_line() may have been writing this when it was stopped.
bool begins_as_ours(std::string_view text) {
  constexpr std::string_view kBegin = "{\"average\":";
  return text.substr(0, kBegin.size()) == kBegin.substr(0, text.size());
}

std::string alpha_of(const SweepPoint& point) {
  return point.alpha ? fmt::format("{}", *point.alpha) : "any";
}

}  // namespace

std::string to_line(const SweepRow& row, const std::string& metric, const SweepConditions& conditions) {
  const auto& [point, score] = row;
  nlohmann::ordered_json line = {{"average", point.average}, {"beam", point.beam}, {"alpha", nullptr}};
  if (point.alpha) line["alpha"] = *point.alpha;
  line[metric] = six_decimals(score.score);
  line["brevity_penalty"] = six_decimals(score.brevity_penalty);
  line["length_ratio"] = six_decimals(score.length_ratio);
  line["seconds"] = six_decimals(score.seconds);
  line.update(conditions);
  return line.dump();
}

SweepResults::SweepResults(const std::string& path, std::string metric)
    : path_(path), metric_(std::move(metric)) {
  if (path.empty()) return;
  const auto direct = open_direct_output(path);
  if (!direct) check_output_file(path, {});
  if (!direct && std::filesystem::exists(path)) read();
  errno = 0;
  file_.reset(direct ? ::fdopen(*direct, "a") : std::fopen(path.c_str(), "ae"));
  if (!file_) throw_file_error(path, "opening", errno);
}

void SweepResults::read() {
  const auto content = read_file(path_);
  std::size_t number = 0;
  std::istringstream lines(content);
  std::string whole;
  for (std::string text; std::getline(lines, text);) {
    ++number;
    const auto line = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (is_sweep_line(line)) {
      if (line.contains(metric_))
        scores_[key_of(line, metric_)] = {line.at(metric_), line.at("brevity_penalty"),
                                          line.at("length_ratio"), line.at("seconds")};
      whole += text + "\n";
      continue;
    }
    const bool cut_off = lines.eof() && line.is_discarded() && begins_as_ours(text);
    if (!cut_off)
      throw InputError(
          fmt::format("{}:{}: expected a result of transformer-sweep, found something else", path_, number));
  }
  if (whole != content) write_file_atomically(followed(path_), whole);
}

std::optional<SweepScore> SweepResults::find(const SweepPoint& point,
                                             const SweepConditions& conditions) const {
  const auto found =
      scores_.find(key_of(nlohmann::json::parse(to_line({point, {}}, metric_, conditions)), metric_));
  return found == scores_.end() ? std::nullopt : std::optional(found->second);
}

void SweepResults::add(const SweepRow& row, const SweepConditions& conditions) {
  const auto line = to_line(row, metric_, conditions);
  scores_[key_of(nlohmann::json::parse(line), metric_)] = row.score;
  if (path_.empty()) return;
  errno = 0;
  if (std::fputs((line + "\n").c_str(), file_.get()) < 0 || std::fflush(file_.get()) != 0)
    throw_file_error(path_, "writing", errno);
}

std::string format_table(const std::vector<SweepRow>& rows, const eval::Metric& metric) {
  auto table = fmt::format(
      "| average | beam | alpha | {:>9} | brevity penalty | length ratio |  seconds |\n"
      "| ------: | ---: | ----: | --------: | --------------: | -----------: | -------: |\n",
      metric.name);
  const auto& best = best_row(rows, metric);
  for (const auto& row : rows) {
    const auto& [point, score] = row;
    const auto shown =
        &row == &best ? fmt::format("**{:.2f}**", score.score) : fmt::format("{:.2f}", score.score);
    table += fmt::format("| {:7} | {:4} | {:>5} | {:>9} | {:15.3f} | {:12.3f} | {:8.1f} |\n", point.average,
                         point.beam, alpha_of(point), shown, score.brevity_penalty, score.length_ratio,
                         score.seconds);
  }
  return table;
}

const SweepRow& best_row(const std::vector<SweepRow>& rows, const eval::Metric& metric) {
  return *std::ranges::max_element(rows, {}, [&](const SweepRow& row) {
    return metric.less_is_better ? -row.score.score : row.score.score;
  });
}

std::string describe(const SweepPoint& point) {
  return fmt::format("average {}, beam {}, alpha {}", point.average, point.beam, alpha_of(point));
}

}  // namespace transformer::apps
