#include "transformer/data/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "transformer/base/error.h"
#include "transformer/base/text_file.h"
#include "transformer/data/prepared.h"

namespace transformer::data {
namespace {

using nlohmann::json;

json split_to_json(const SplitReport& split) {
  json result = {{"kept", split.examples.kept},
                 {"dropped",
                  {{"empty", split.examples.empty},
                   {"too_long", split.examples.too_long},
                   {"ratio", split.examples.ratio}}},
                 {"source_tokens", split.source_tokens},
                 {"target_tokens", split.target_tokens},
                 {"source_unknown", split.source_unknown},
                 {"target_unknown", split.target_unknown},
                 {"shortened", split.shortened},
                 {"windows_line_ends", split.windows_line_ends}};
  // A folder of one text is the same to the byte as before there could be several.
  if (split.kept.size() > 1) result["kept_of_texts"] = split.kept;
  if (split.without_links > 0) result["without_links"] = split.without_links;
  return result;
}

/// The library would cut fractions and let numbers that are too large wrap around.
std::int64_t count(const json& object, const char* key) {
  const auto& number = object.at(key);
  if (!number.is_number_integer() || number.get<std::int64_t>() < 0)
    throw InputError(fmt::format("{}: expected a count from 0", key));
  return number.get<std::int64_t>();
}

SplitReport split_from_json(const json& split) {
  SplitReport report;
  const auto& dropped = split.at("dropped");
  report.examples = {count(split, "kept"), count(dropped, "empty"), count(dropped, "too_long"),
                     count(dropped, "ratio")};
  report.source_tokens = count(split, "source_tokens");
  report.target_tokens = count(split, "target_tokens");
  report.source_unknown = count(split, "source_unknown");
  report.target_unknown = count(split, "target_unknown");
  report.shortened = count(split, "shortened");
  report.windows_line_ends = count(split, "windows_line_ends");
  if (split.contains("without_links")) report.without_links = count(split, "without_links");
  report.kept = split.value("kept_of_texts", std::vector<std::int64_t>{report.examples.kept});
  if (std::ranges::any_of(report.kept, [](auto kept) { return kept < 0; }) ||
      std::accumulate(report.kept.begin(), report.kept.end(), std::int64_t{0}) != report.examples.kept)
    throw InputError("kept_of_texts: expected counts whose sum is kept");
  return report;
}

/// For json::parse: keeps out what is nested so deeply that copying or printing it would exhaust the stack.
bool shallow(int depth, json::parse_event_t /*event*/, json& /*value*/) {
  if (depth > 16) throw InputError("nested too deeply");
  return true;
}

bool is_summary(const json& json) {
  const auto is_text = [](const auto& value) { return value.is_string(); };
  return json.at("version") == kSummaryVersion && json.at("options").is_object() &&
         json.at("inputs").is_object() && std::ranges::all_of(json.at("inputs"), is_text) &&
         json.at("options").at("own_tokenizer").is_boolean() &&
         (!json.at("options").contains("examples") || json.at("options").at("examples").is_string()) &&
         (!json.at("options").contains("shared_vocabulary") ||
          json.at("options").at("shared_vocabulary").is_boolean());
}

}  // namespace

namespace {

std::string text_of(const Columns& columns) {
  return columns.source + "," + columns.target;
}

std::string number_of_texts(const DataOptions& options) {
  const auto count = 1 + options.more_train.size();
  return fmt::format("{} text{}", count, count == 1 ? "" : "s");
}

/// Folders that were prepared before there were these keys have their defaults.
void fill_in_later_keys(json& recorded) {
  const DataOptions before;
  recorded.emplace("longer", name_of(before.longer));
  recorded.emplace("pairs", before.pairs);
  recorded.emplace("tokenizer_kind", name_of(before.tokenizer_kind));
  recorded.emplace("min_frequency", before.min_frequency);
  recorded.emplace("columns", text_of(before.columns));
  recorded.emplace("examples", name_of(before.examples));
  recorded.emplace("masks", before.masks);
  recorded.emplace("train", number_of_texts(before));
  recorded.emplace("links", before.links);
}

}  // namespace

json content_options(const DataOptions& options) {
  json result = {{"pairs", options.pairs}, {"own_tokenizer", !options.tokenizer.empty()}};
  if (!options.more_train.empty()) result["train"] = number_of_texts(options);
  switch (options.examples) {
    case ExampleKind::pairs:
      result["source"] = options.source;
      result["target"] = options.target;
      result["max_ratio"] = options.max_ratio;
      // A folder that is prepared as before there was the key is the same to the byte.
      if (options.columns != DataOptions{}.columns) result["columns"] = text_of(options.columns);
      if (!options.links.empty()) result["links"] = options.links;
      break;
    case ExampleKind::labelled:
    case ExampleKind::answers:
      result["examples"] = name_of(options.examples);
      result["source"] = options.source;
      result["target"] = options.target;
      result["columns"] = text_of(options.columns);
      break;
    case ExampleKind::trees:
      result["examples"] = name_of(options.examples);
      result["tree_tags"] = options.tree_tags;
      break;
    case ExampleKind::documents:
      result["examples"] = name_of(options.examples);
      result["document"] = name_of(options.document);
      result["block"] = options.block > 0 ? "more than 0" : "0";
  }
  if (options.block == 0) {  // else nothing is too long
    result["max_tokens"] = options.max_tokens;
    result["longer"] = name_of(options.longer);
  }
  if (options.tokenizer.empty()) {  // else they have no effect
    result["vocabulary"] = options.vocabulary;
    result["shared_vocabulary"] = has_one_vocabulary(options);
    result["normalization"] = name_of(options.normalization);
    result["byte_fallback"] = options.byte_fallback;
    result["tokenizer_kind"] = name_of(options.tokenizer_kind);
    result["min_frequency"] = options.min_frequency;
    if (options.masks) result["masks"] = true;
  }
  return result;
}

std::optional<std::string> first_difference(json recorded, json wanted) {
  fill_in_later_keys(recorded);
  wanted.emplace("columns", text_of(DataOptions{}.columns));
  wanted.emplace("examples", name_of(DataOptions{}.examples));
  wanted.emplace("train", number_of_texts({}));
  wanted.emplace("links", DataOptions{}.links);
  if (wanted.contains("vocabulary")) wanted.emplace("masks", DataOptions{}.masks);
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
  report.source_vocabulary = count(json, "source_vocabulary");
  report.target_vocabulary = count(json, "target_vocabulary");
  report.untrained_lines = count(json, "untrained_lines");
  return report;
}

json read_summary(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  try {
    json summary = json::parse(text, shallow);
    if (is_summary(summary)) {
      report_from_json(summary.at("report"));
      return summary;
    }
  } catch (const json::exception&) {  // no JSON, or a key is missing or of another type
  } catch (const InputError&) {       // too deep, or a count that is none
  }
  throw InputError(fmt::format("{}: expected the summary of a prepared folder", file.string()));
}

bool has_shared_vocabulary(const json& summary) {
  const auto& options = summary.at("options");
  const auto examples = value_named<ExampleKind>(options.value("examples", name_of(ExampleKind::pairs)));
  if (examples && has_target_labels(*examples)) return false;
  return options.value("own_tokenizer", false) || options.value("shared_vocabulary", false);
}

bool has_pairs(const json& summary) {
  const std::string documents = name_of(ExampleKind::documents);
  return summary.at("options").value("examples", name_of(ExampleKind::pairs)) != documents;
}

bool has_split(const json& summary, const std::string& name) {
  return summary.at("report").at("splits").contains(name);
}

std::vector<std::string> small_files(const json& summary) {
  const PreparedPaths here;
  const bool shared = has_shared_vocabulary(summary);
  std::vector<std::string> names = {here.source_tokenizer(shared), here.target_tokenizer(shared)};
  if (summary.at("options").contains("links")) names.push_back(here.train_links());
  for (const auto* split : {"dev", "test"}) {
    if (!has_split(summary, split) || !has_pairs(summary)) continue;
    names.push_back(here.source_text(split));
    names.push_back(here.target_text(split));
  }
  return names;
}

}  // namespace transformer::data
