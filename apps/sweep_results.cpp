#include "apps/sweep_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/text_file.h"

namespace transformer::apps {
namespace {

constexpr std::array kMeasured = {"bleu", "brevity_penalty", "length_ratio", "seconds"};

double rounded(double value) {
  return std::stod(fmt::format("{:.6f}", value));
}

/// All of a line that is not measured.
std::string key_of(nlohmann::json line) {
  for (const auto* name : kMeasured) line.erase(name);
  return line.dump();
}

bool is_sweep_line(const nlohmann::json& line) {
  return line.is_object() && line.contains("average") && line.contains("beam") && line.contains("alpha") &&
         std::ranges::all_of(
             kMeasured, [&](const char* name) { return line.contains(name) && line.at(name).is_number(); });
}

std::string alpha_of(const SweepPoint& point) {
  return point.alpha ? fmt::format("{}", *point.alpha) : "any";
}

}  // namespace

std::string to_line(const SweepRow& row, const SweepConditions& conditions) {
  const auto& [point, score] = row;
  nlohmann::ordered_json line = {{"average", point.average}, {"beam", point.beam}, {"alpha", nullptr}};
  if (point.alpha) line["alpha"] = *point.alpha;
  line["bleu"] = rounded(score.bleu);
  line["brevity_penalty"] = rounded(score.brevity_penalty);
  line["length_ratio"] = rounded(score.length_ratio);
  line["seconds"] = rounded(score.seconds);
  line.update(conditions);
  return line.dump();
}

SweepResults::SweepResults(const std::string& path) : path_(path) {
  if (path.empty()) return;
  if (std::filesystem::exists(path)) {
    if (!std::filesystem::is_regular_file(path))
      throw InputError(fmt::format("{}: expected a file or nothing, found a folder or a device", path));
    read();
  }
  errno = 0;
  file_.open(path, std::ios::app);
  if (!file_) throw_file_error(path, "opening", errno);
}

void SweepResults::read() {
  const auto content = read_file(path_);
  std::size_t begin = 0, number = 1;
  for (auto end = content.find('\n'); end != std::string::npos; end = content.find('\n', begin), ++number) {
    const auto line = nlohmann::json::parse(content.begin() + static_cast<std::ptrdiff_t>(begin),
                                            content.begin() + static_cast<std::ptrdiff_t>(end), nullptr,
                                            /*allow_exceptions=*/false);
    if (!is_sweep_line(line))
      throw InputError(
          fmt::format("{}:{}: expected a result of transformer-sweep, found something else", path_, number));
    scores_[key_of(line)] = {line.at("bleu"), line.at("brevity_penalty"), line.at("length_ratio"),
                             line.at("seconds")};
    begin = end + 1;
  }
  if (begin < content.size()) write_file_atomically(path_, content.substr(0, begin));
}

std::optional<SweepScore> SweepResults::find(const SweepPoint& point,
                                             const SweepConditions& conditions) const {
  const auto found = scores_.find(key_of(nlohmann::json::parse(to_line({point, {}}, conditions))));
  return found == scores_.end() ? std::nullopt : std::optional(found->second);
}

void SweepResults::add(const SweepRow& row, const SweepConditions& conditions) {
  const auto line = to_line(row, conditions);
  scores_[key_of(nlohmann::json::parse(line))] = row.score;
  if (path_.empty()) return;
  errno = 0;
  file_ << line << '\n' << std::flush;
  if (!file_) throw_file_error(path_, "writing", errno);
}

std::string format_table(const std::vector<SweepRow>& rows) {
  std::string table =
      "| average | beam | alpha |      BLEU | brevity penalty | length ratio |  seconds |\n"
      "| ------: | ---: | ----: | --------: | --------------: | -----------: | -------: |\n";
  const auto& best = best_row(rows);
  for (const auto& row : rows) {
    const auto& [point, score] = row;
    const auto bleu =
        &row == &best ? fmt::format("**{:.2f}**", score.bleu) : fmt::format("{:.2f}", score.bleu);
    table += fmt::format("| {:7} | {:4} | {:>5} | {:>9} | {:15.3f} | {:12.3f} | {:8.1f} |\n", point.average,
                         point.beam, alpha_of(point), bleu, score.brevity_penalty, score.length_ratio,
                         score.seconds);
  }
  return table;
}

const SweepRow& best_row(const std::vector<SweepRow>& rows) {
  return *std::ranges::max_element(rows, {}, [](const SweepRow& row) { return row.score.bleu; });
}

std::string describe(const SweepPoint& point) {
  return fmt::format("average {}, beam {}, alpha {}", point.average, point.beam, alpha_of(point));
}

}  // namespace transformer::apps
