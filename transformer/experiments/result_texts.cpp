#include "transformer/experiments/result_texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "transformer/config/keys.h"
#include "transformer/config/yaml.h"
#include "transformer/experiments/bookkeeping.h"

namespace transformer::experiments {
namespace fs = std::filesystem;
namespace {

/// The symbols of the paper's Table 3, where it has one.
std::string symbol(const std::string& key) {
  static const std::map<std::string, std::string> symbols = {
      {"model.layers", "N"},       {"model.d_model", "d_model"},
      {"model.d_ff", "d_ff"},      {"model.heads", "h"},
      {"model.d_k", "d_k"},        {"model.d_v", "d_v"},
      {"model.dropout", "P_drop"}, {"train.label_smoothing", "ε_ls"},
      {"train.steps", "steps"},    {"model.positions", "positions"}};
  const auto found = symbols.find(key);
  return found == symbols.end() ? key : found->second;
}

/// A value that differs, a file or folder by its name: where it lies on this machine is of no interest.
std::string shown(const config::Difference& difference, const data::DataOptions& data) {
  if (difference.key == "data.train") {
    std::vector<std::string> names;
    for (const auto& text : data::train_texts(data)) names.push_back(name_of_text(text));
    return fmt::format("{}", fmt::join(names, ", "));
  }
  if (config::find_key(difference.key)->kind != config::Key::Kind::path) return difference.right;
  const auto path = difference.right.substr(1, difference.right.size() - 2);  // without its quotes
  return path.empty() ? difference.right : name_of_text(path);
}

}  // namespace

std::string name_of_text(const fs::path& text) {
  return (text.parent_path().filename() / text.filename()).string();
}

std::string changes_of(const config::Experiment& base, const config::Experiment& experiment) {
  std::vector<std::string> parts;
  auto all = config::differences(base, experiment);
  std::erase_if(all, [&](const auto& difference) {
    return is_bookkeeping(difference.key, experiment) || difference.key == "data.prepared" ||
           difference.key == "seed";  // the list's, not those of a row's own file
  });
  const auto value = [&](const char* key) -> const std::string* {
    const auto found = std::ranges::find(all, key, &config::Difference::key);
    return found == all.end() ? nullptr : &found->right;
  };
  const auto *encoder = value("model.encoder_layers"), *decoder = value("model.decoder_layers");
  const bool both = encoder != nullptr && decoder != nullptr && *encoder == *decoder;
  if (both) parts.push_back(fmt::format("{} {}", symbol("model.layers"), *encoder));
  for (const auto& difference : all)
    if (!both || (difference.key != "model.encoder_layers" && difference.key != "model.decoder_layers"))
      parts.push_back(fmt::format("{} {}", symbol(difference.key), shown(difference, experiment.data)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string what_is_judged(const ExperimentList& list) {
  const auto& variations = list.variations;
  const auto& score = list.metric.name;
  const auto common = variations.front().average;
  const bool all = std::ranges::all_of(variations, [&](const auto& one) { return one.average == common; });
  if (all && common == 1)
    return score + " is of the last checkpoint, without averaging, as in the paper's Table 3.";
  std::string which = fmt::format("{} checkpoints", common);
  if (!all) {
    std::vector<std::string> each;
    each.reserve(variations.size());
    for (const auto& variation : variations)
      each.push_back(fmt::format("{} of {}", variation.average, variation.name));
    which = fmt::format("checkpoints, {},", fmt::join(each, ", "));
  }
  return fmt::format(
      "{} is of the mean of the last {} (the paper's Table 3: of the last checkpoint alone); perplexity{} is "
      "of "
      "the last checkpoint.",
      score, which, score == "Perplexity" ? " of the curves" : "");
}

std::string precisions_of(const Study& study, const std::vector<Run>& runs) {
  std::set<std::string> precisions;
  for (const auto& run : runs)
    if (const auto record = read_record(run.folder); !record.precision.empty())
      precisions.insert(record.precision);
  if (precisions.empty()) precisions.insert(study.precision);
  precisions.erase("auto");
  return fmt::format("{}", fmt::join(precisions, " or "));
}

std::string devices_of(const std::vector<Run>& runs) {
  std::map<std::string, std::int64_t> trained;
  std::int64_t all = 0;
  for (const auto& run : runs) {
    const auto record = read_record(run.folder);
    if (record.trained == 0) continue;
    ++all;
    if (!record.device.empty() && record.device != "cpu") ++trained[record.device];
  }
  std::vector<std::string> texts;
  for (const auto& [device, count] : trained)
    texts.push_back(fmt::format("{} of {} trainings were computed on {}.", count, all, device));
  return fmt::format("{}", fmt::join(texts, " "));
}

}  // namespace transformer::experiments
