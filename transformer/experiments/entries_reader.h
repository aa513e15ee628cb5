// The values of a list of experiments, read from YAML: each kind of value once. For the files beside it
// alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "transformer/config/keys.h"
#include "transformer/config/yaml_document.h"
#include "transformer/experiments/experiment_entries.h"

namespace transformer::experiments {

/// What is done with the value of a key that stands at `origin`. Throws InputError "origin: key '…': …".
using Reader = std::function<void(const YAML::Node& value, const std::string& origin)>;

class EntriesReader {
 public:
  explicit EntriesReader(const std::filesystem::path& file)
      : name_(file.string()), folder_(file.parent_path()) {}

  /// Calls the reader of each key of a map.
  void read_keys(const YAML::Node& map, const std::map<std::string, Reader>& readers) const;

  static Reader text(const char* key, std::string& to);
  /// A path relative to this file.
  Reader path(const char* key, std::string& to) const;
  static Reader number(const char* key, std::optional<double>& to);
  /// The same, above 0 and at most `most`. `what` describes the number in messages.
  static Reader positive(const char* key, std::optional<double>& to, const char* what,
                         double most = std::numeric_limits<double>::max());
  static Reader boolean(const char* key, std::optional<bool>& to);
  /// One name or a list of different ones; "lowercase" may follow a name.
  static Reader tokenizations(std::vector<eval::MetricOptions>& to);
  static Reader seeds(std::vector<std::int64_t>& to);
  static Reader average(std::int64_t& to);
  Reader settings(std::vector<Setting>& to) const;
  Reader scalings(std::vector<Scaling>& to) const;

  const std::string& name() const { return name_; }

 private:
  /// The keys below `map`, whether they are written as model.heads or as heads below model, each once.
  void for_each_key(
      const YAML::Node& map, const std::string& section, const std::string& origin,
      const std::function<void(const std::string&, const YAML::Node&, const std::string&)>& visit) const;
  void for_each_key(
      const YAML::Node& map, const std::string& section, const std::string& origin,
      const std::function<void(const std::string&, const YAML::Node&, const std::string&)>& visit,
      const std::string& prefix) const;

  std::string name_;
  std::filesystem::path folder_;
};

}  // namespace transformer::experiments
