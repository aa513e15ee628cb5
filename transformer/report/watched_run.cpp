#include "transformer/report/watched_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "transformer/base/error.h"
#include "transformer/base/text_file.h"
#include "transformer/report/line_value.h"
#include "transformer/report/training_time.h"

namespace transformer::report {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;

std::optional<std::string> text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

std::optional<std::int64_t> count_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_integer() || found->get<std::int64_t>() < 0)
    return std::nullopt;
  return found->get<std::int64_t>();
}

std::optional<Measurement> measurement_of(const Json& json) {
  const auto step = count_of(json, "step");
  const auto split = text_of(json, "split");
  if (!step || !split || (*split != "train" && *split != "dev")) return std::nullopt;
  Measurement line{.step = *step, .dev = *split == "dev", .values = {}};
  for (const auto& item : json.items())
    if (const auto value = line_value(json, item.key()); !std::isnan(value)) line.values[item.key()] = value;
  return line;
}

std::optional<SampleTranslation> sample_of(const Json& json) {
  const auto step = count_of(json, "step"), sentence = count_of(json, "sentence");
  auto source = text_of(json, "source"), reference = text_of(json, "reference"),
       translation = text_of(json, "translation");
  if (!step || !sentence || !source || !reference || !translation) return std::nullopt;
  return SampleTranslation{*step, *sentence, std::move(*source), std::move(*reference),
                           std::move(*translation)};
}

/// read: of an object; nothing where it is none of ours.
template <typename T>
std::vector<T> read_objects(const fs::path& path, std::optional<T> (*read)(const Json&)) {
  constexpr std::uintmax_t kMost = std::uintmax_t{1} << 30U;
  const auto text = read_file(path, kMost);
  std::vector<T> lines;
  std::size_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    ++number;
    const auto end = rest.find('\n');
    const auto json = Json::parse(rest.substr(0, end), nullptr, /*allow_exceptions=*/false);
    auto line = json.is_object() ? read(json) : std::nullopt;
    const bool open = end == std::string_view::npos;
    if (line) {
      lines.push_back(std::move(*line));
    } else if (!open) {
      throw InputError(fmt::format("{}:{}: expected a line as transformer-train writes them, found '{}'",
                                   path.string(), number, rest.substr(0, std::min<std::size_t>(end, 60))));
    }
    rest.remove_prefix(open ? rest.size() : end + 1);
  }
  return lines;
}

void sum_up_seconds(std::vector<Measurement>& lines) {
  TrainingTime training;
  for (auto& line : lines) {
    const auto number = [&](const char* key) {
      const auto found = line.values.find(key);
      return found == line.values.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
    };
    line.seconds = training.add(number("seconds"), number("time"));
  }
}

std::vector<std::string> parts_of(const fs::path& folder) {
  std::vector<std::string> parts;
  for (const auto& part : fs::absolute(folder).lexically_normal())
    if (!part.empty()) parts.push_back(part.string());
  return parts;
}

/// In how many parts all paths agree, counted from the front, or from the back; one of each path is left.
std::size_t count_common(const std::vector<std::vector<std::string>>& paths, bool back) {
  const auto part = [&](std::size_t path, std::size_t i) -> const std::string& {
    return paths[path][back ? paths[path].size() - 1 - i : i];
  };
  std::size_t count = 0;
  for (;; ++count)
    for (std::size_t path = 0; path < paths.size(); ++path)
      if (count + 1 >= paths[path].size() || part(path, count) != part(0, count)) return count;
}

}  // namespace

WatchedRun read_watched_run(const fs::path& folder, std::string name) {
  const auto metrics = folder / "metrics.jsonl", samples = folder / "samples.jsonl";
  if (!fs::exists(metrics))
    throw InputError(fmt::format(
        "{}: expected a run directory of transformer-train, found no metrics.jsonl in it", folder.string()));
  WatchedRun run{.name = std::move(name), .lines = read_objects(metrics, measurement_of), .samples = {}};
  sum_up_seconds(run.lines);
  if (fs::exists(samples)) run.samples = read_objects(samples, sample_of);
  return run;
}

RunState state_of(const WatchedRun& run, double now) {
  if (run.lines.empty()) return RunState::begun;
  const auto& last = run.lines.back();
  if (run.steps > 0 && last.step >= run.steps) return RunState::finished;
  const auto written = last.values.find("time");
  if (written == last.values.end()) return RunState::stopped;
  constexpr double kLeast = 120;
  const double apart = last.seconds / static_cast<double>(run.lines.size());
  return now - written->second <= std::max(kLeast, kSilence * apart) ? RunState::trains : RunState::stopped;
}

std::optional<double> seconds_left(const WatchedRun& run) {
  if (run.lines.empty() || run.steps <= run.lines.back().step) return std::nullopt;
  const auto& last = run.lines.back();
  const auto& early = run.lines[run.lines.size() / 2];
  const auto from = early.step < last.step ? early : Measurement{.values = {}};
  if (last.step <= from.step) return std::nullopt;
  return (last.seconds - from.seconds) * static_cast<double>(run.steps - last.step) /
         static_cast<double>(last.step - from.step);
}

std::vector<std::string> short_names(const std::vector<fs::path>& folders) {
  std::vector<std::vector<std::string>> paths;
  for (const auto& folder : folders) paths.push_back(parts_of(folder));
  const auto front = count_common(paths, false);
  for (auto& path : paths) path.erase(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(front));
  const auto back = count_common(paths, true);
  std::vector<std::string> names;
  for (const auto& path : paths) {
    fs::path name;
    for (std::size_t i = 0; i + back < path.size(); ++i) name /= path[i];
    names.push_back(name.string());
  }
  return names;
}

}  // namespace transformer::report
