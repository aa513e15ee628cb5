#include "transformer/config/yaml.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "transformer/base/error.h"
#include "transformer/base/printable.h"
#include "transformer/base/streams.h"
#include "transformer/base/text_file.h"
#include "transformer/config/flatten.h"
#include "transformer/config/layers.h"
#include "transformer/config/scalar.h"

namespace transformer::config {
namespace {

namespace fs = std::filesystem;

Experiment parse(const std::string& text, const fs::path& name,
                 const std::vector<std::vector<std::string>>& ranks, Extends extends,
                 std::string* note = nullptr) {
  Layers layers(extends);
  layers.add_text(text, name);
  for (const auto& rank : ranks) layers.add_overrides(rank);
  auto experiment = layers.apply();
  if (note != nullptr) *note = layers.note_on_head_widths(experiment.model);
  return experiment;
}

std::vector<std::string> keys_in(const std::string& text, const fs::path& name) {
  std::vector<std::string> names;
  for (const auto& assignment : flatten(text, name.string())) names.push_back(assignment.key->name);
  return names;
}

bool has_key(const std::string& text, const fs::path& name, std::string_view key) {
  const auto names = keys_in(text, name);
  return std::ranges::find(names, key) != names.end();
}

}  // namespace

Experiment load_experiment(const fs::path& file, const std::vector<std::string>& overrides) {
  return load_ranked_experiment(file, {overrides});
}

Experiment load_ranked_experiment(const fs::path& file,
                                  const std::vector<std::vector<std::string>>& overrides, std::string* note) {
  return parse(read_file(file, kLongestConfiguration), file, overrides, Extends::follow, note);
}

Experiment load_given_experiment(const std::string& name, const std::vector<std::string>& overrides) {
  const auto piped = read_given_pipe(name, kLongestConfiguration);
  const fs::path file = name;
  Layers layers;
  layers.add_text(piped ? *piped : read_file(file, kLongestConfiguration), file,
                  piped ? fs::path() : file.parent_path());
  layers.add_overrides(overrides);
  auto experiment = layers.apply();
  if (!overrides.empty()) layers.check_last_overrides(experiment);
  if (const auto note = layers.note_on_head_widths(experiment.model); !note.empty()) spdlog::warn("{}", note);
  return experiment;
}

Experiment load_resolved_experiment(const fs::path& file, const std::vector<std::string>& overrides) {
  const auto text = read_file(file, kLongestConfiguration);
  auto experiment = parse(text, file, {overrides}, Extends::refuse);
  // Before there were train.bucket_tokens, updates were planned with train.micro_tokens.
  if (auto& bucket = experiment.train.bucket_tokens; !bucket && !has_key(text, file, "train.bucket_tokens"))
    bucket = parse(text, file, {}, Extends::refuse).train.micro_tokens;
  return experiment;
}

std::vector<std::string> keys_of(const fs::path& file) {
  return keys_in(read_file(file, kLongestConfiguration), file);
}

Experiment parse_experiment(const std::string& text, const fs::path& name,
                            const std::vector<std::string>& overrides) {
  return parse(text, name, {overrides}, Extends::follow);
}

std::string to_yaml(const Experiment& experiment) {
  std::string text;
  std::string section;
  for (const Key& key : keys()) {
    if (!is_written(key.kind) || (key.name == "train.steps" && experiment.train.epochs > 0)) continue;
    const auto dot = key.name.find('.');
    if (dot == std::string::npos) {
      text += fmt::format("{}: {}\n", key.name, key.get(experiment));
      continue;
    }
    if (const auto own = key.name.substr(0, dot); own != section) {
      section = own;
      text += fmt::format("{}:\n", section);
    }
    text += fmt::format("  {}: {}\n", key.name.substr(dot + 1), key.get(experiment));
  }
  return text;
}

std::vector<Difference> differences(const Experiment& left, const Experiment& right) {
  std::vector<Difference> found;
  for (const Key& key : keys()) {
    if (!is_written(key.kind)) continue;
    auto a = key.get(left);
    auto b = key.get(right);
    if (a != b) found.push_back({.key = key.name, .left = std::move(a), .right = std::move(b)});
  }
  return found;
}

std::vector<Difference> differences_in_weights(const Experiment& before, const Experiment& now) {
  auto goes_on = now;
  if (!now.train.bucket_tokens) goes_on.train.bucket_tokens = before.train.bucket_tokens;
  if (!now.train.micro_tokens) goes_on.train.micro_tokens = before.train.micro_tokens;
  auto found = differences(before, goes_on);
  std::erase_if(found, [&](const Difference& difference) {
    return !decides_weights(difference.key, before) && !decides_weights(difference.key, now);
  });
  return found;
}

}  // namespace transformer::config
