#include "transformer/experiments/own_reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

#include "transformer/base/atomic_file.h"
#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/base/output_place.h"
#include "transformer/base/own_files.h"
#include "transformer/base/text_file.h"
#include "transformer/checkpoints/run_directory.h"
#include "transformer/report/escape.h"

namespace transformer::experiments {
namespace fs = std::filesystem;
namespace {

constexpr std::array kReports = {"report.md", "report.csv", "report.html", "learning-curves.svg"};
constexpr std::string_view kPicture = "-by-parameters.svg";  // behind a metric's name

constexpr std::size_t kRemembered = 20;

struct OwnReports {
  std::string list;  ///< the list's file, relative to the output folder, so that both may move house together
  std::string title;  ///< of the list
  /// What each file may hold, the newest first. Not one sum alone: who was killed while it wrote, or wrote
  /// beside another, may have left the content before.
  std::map<std::string, std::vector<std::string>> sums;
};

fs::path record_of(const Study& study) {
  return study.output / "reports.json";
}

// Both may have bytes that are not UTF-8, which JSON does not take.
std::string relative_list(const Study& study) {
  return report::clean(
      fs::weakly_canonical(study.list.file).lexically_relative(fs::weakly_canonical(study.output)).string());
}

std::string title_of(const Study& study) {
  return report::clean(study.list.title);
}

OwnReports read_record(const Study& study) {
  const auto file = record_of(study);
  if (!fs::exists(file)) return {};
  try {
    const auto json = nlohmann::json::parse(read_file(file));
    return {.list = json.at("list"), .title = json.at("title"), .sums = json.at("sums")};
  } catch (const nlohmann::json::exception&) {
    throw InputError(
        fmt::format("{}: expected what transformer-experiments knows of its reports, found something else",
                    file.string()));
  }
}

void write_record(const Study& study, const OwnReports& own) {
  const nlohmann::ordered_json json{{"list", own.list}, {"title", own.title}, {"sums", own.sums}};
  write_file_atomically(record_of(study), json.dump(1) + "\n");
}

/// A list may get another title, or move; not both, nor come to be beside the one that it was copied from.
bool is_of(const OwnReports& own, const Study& study) {
  if (own.list == relative_list(study)) return true;
  return own.title == title_of(study) && !fs::exists(study.output / own.list);
}

/// Throws unless the report that is there is our own, or has the sum `wanted`.
void check(const Study& study, const OwnReports& own, const std::string& name, const std::string& wanted) {
  const auto file = study.output / name;
  if (!fs::exists(file)) return;
  const auto sum = sha256_file(file);
  const auto known = own.sums.find(name);
  const bool is_own = known != own.sums.end() && std::ranges::count(known->second, sum) > 0;
  if (!is_own && sum != wanted)
    throw InputError(fmt::format(
        "{}: expected the report that transformer-experiments wrote, or none, found another file or a "
        "changed one, which is not replaced",
        file.string()));
  if (is_own && !is_of(own, study))
    throw InputError(
        fmt::format("{}: expected the report of {}, found that of another list, {}, which is not replaced",
                    file.string(), study.list.file.string(), own.list));
}

}  // namespace

std::string picture_of_scores(const eval::Metric& metric) {
  return key_of(metric) + std::string(kPicture);
}

bool is_report_file(const std::string& name) {
  return name == "plan.json" || name == "reports.json" || name.ends_with(kPicture) ||
         std::ranges::count(kReports, name) > 0;
}

void check_no_other_work(const Study& study) {
  const auto& output = study.output;
  for (const auto* own : {"reports.json", "plan.json"})
    if (fs::exists(output / own)) return;
  const checkpoints::RunDirectory run{output};
  if (fs::exists(run.config()) && (fs::exists(run.checkpoints()) || fs::exists(run.metrics())))
    throw InputError(
        fmt::format("{}: expected a folder for the runs of a list, found a run directory: name another one "
                    "(output, --output)",
                    output.string()));
  if (fs::exists(output / checksums_name) && !foreign_entry(output))
    throw InputError(
        fmt::format("{}: expected a folder for the runs of a list, found a model, prepared data or an "
                    "export, which {} lists: name another one (output, --output)",
                    output.string(), checksums_name));
}

void check_reports(const Study& study) {
  check_output_folder(study.output);
  const auto own = read_record(study);
  for (const auto* name : kReports) check(study, own, name, "");
  check(study, own, picture_of_scores(study.list.metric), "");
}

void write_reports(const Study& study, const std::map<std::string, std::string>& contents) {
  const auto before = read_record(study);
  OwnReports own{.list = relative_list(study), .title = title_of(study), .sums = {}};
  for (const auto* name : kReports)
    if (const auto found = contents.find(name); found != contents.end())
      check(study, before, name, sha256(found->second));
  for (const auto& [name, content] : contents) check(study, before, name, sha256(content));
  for (const auto& [name, content] : contents) {
    auto& sums = own.sums[name] = {sha256(content)};
    const auto earlier = before.sums.find(name);
    if (earlier != before.sums.end()) std::ranges::copy(earlier->second, std::back_inserter(sums));
    sums.resize(std::min(sums.size(), kRemembered));
  }
  write_record(study, own);
  for (const auto& [name, content] : contents) write_file_atomically(followed(study.output / name), content);
}

}  // namespace transformer::experiments
