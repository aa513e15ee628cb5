#include "transformer/data/summary.h"

#include <fmt/format.h>

#include "transformer/base/error.h"
#include "transformer/base/text_file.h"
#include "transformer/data/prepared.h"

namespace transformer::data {
namespace {

using nlohmann::json;

json split_to_json(const SplitReport& split) {
  return {{"kept", split.pairs.kept},
          {"dropped",
           {{"empty", split.pairs.empty}, {"too_long", split.pairs.too_long}, {"ratio", split.pairs.ratio}}},
          {"source_tokens", split.source_tokens},
          {"target_tokens", split.target_tokens},
          {"source_unknown", split.source_unknown},
          {"target_unknown", split.target_unknown},
          {"shortened", split.shortened},
          {"windows_line_ends", split.windows_line_ends}};
}

SplitReport split_from_json(const json& split) {
  SplitReport report;
  const auto& dropped = split.at("dropped");
  report.pairs = {split.at("kept"), dropped.at("empty"), dropped.at("too_long"), dropped.at("ratio")};
  report.source_tokens = split.at("source_tokens");
  report.target_tokens = split.at("target_tokens");
  report.source_unknown = split.at("source_unknown");
  report.target_unknown = split.at("target_unknown");
  report.shortened = split.at("shortened");
  report.windows_line_ends = split.at("windows_line_ends");
  return report;
}

}  // namespace

json content_options(const DataOptions& options) {
  json result = {{"source", options.source},
                 {"target", options.target},
                 {"max_tokens", options.max_tokens},
                 {"max_ratio", options.max_ratio},
                 {"own_tokenizer", !options.tokenizer.empty()}};
  if (options.tokenizer.empty()) {  // else they have no effect
    result["vocabulary"] = options.vocabulary;
    result["shared_vocabulary"] = options.shared_vocabulary;
    result["normalization"] = options.normalization;
    result["byte_fallback"] = options.byte_fallback;
  }
  return result;
}

std::optional<std::string> first_difference(const json& recorded, const json& wanted) {
  for (const auto& [key, value] : wanted.items()) {
    const auto found = recorded.find(key);
    if (found == recorded.end() || *found != value) {
      return fmt::format("data.{} is {}, but was {}", key, value.dump(),
                         found == recorded.end() ? "not set" : found->dump());
    }
  }
  return std::nullopt;
}

json report_to_json(const PrepareReport& report) {
  json splits = json::object();
  for (const auto& [name, split] : report.splits) splits[name] = split_to_json(split);
  return {{"splits", splits},
          {"source_vocabulary", report.source_vocabulary},
          {"target_vocabulary", report.target_vocabulary},
          {"untrained_lines", report.untrained_lines}};
}

PrepareReport report_from_json(const json& json) {
  PrepareReport report;
  for (const auto& [name, split] : json.at("splits").items()) report.splits[name] = split_from_json(split);
  report.source_vocabulary = json.at("source_vocabulary");
  report.target_vocabulary = json.at("target_vocabulary");
  report.untrained_lines = json.at("untrained_lines");
  return report;
}

json read_summary(const std::filesystem::path& file) {
  json summary = json::parse(read_file(file), nullptr, false);
  try {
    if (summary.is_discarded() || summary.at("version") != 2 || !summary.at("options").is_object() ||
        !summary.at("inputs").is_object()) {
      throw InputError(fmt::format("{}: expected the summary of a prepared folder", file.string()));
    }
    report_from_json(summary.at("report"));
  } catch (const json::exception&) {
    throw InputError(fmt::format("{}: expected the summary of a prepared folder", file.string()));
  }
  return summary;
}

bool has_shared_vocabulary(const json& summary) {
  const auto& options = summary.at("options");
  return options.value("own_tokenizer", false) || options.value("shared_vocabulary", false);
}

bool has_split(const json& summary, const std::string& name) {
  return summary.at("report").at("splits").contains(name);
}

std::vector<std::string> small_files(const json& summary) {
  const PreparedPaths here;
  const bool shared = has_shared_vocabulary(summary);
  std::vector<std::string> names = {here.source_tokenizer(shared), here.target_tokenizer(shared)};
  for (const auto* split : {"dev", "test"}) {
    if (!has_split(summary, split)) continue;
    names.push_back(here.source_text(split));
    names.push_back(here.target_text(split));
  }
  return names;
}

}  // namespace transformer::data
