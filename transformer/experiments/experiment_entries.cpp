#include "transformer/experiments/experiment_entries.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "transformer/base/error.h"
#include "transformer/base/text_file.h"
#include "transformer/config/flatten.h"
#include "transformer/config/keys.h"
#include "transformer/config/scalar.h"
#include "transformer/config/yaml.h"
#include "transformer/config/yaml_document.h"

namespace transformer::experiments {
namespace {

using namespace config;  // whose language a list is written in

namespace fs = std::filesystem;
using Reader = std::function<void(const YAML::Node& value, const std::string& origin)>;

class EntriesReader {
 public:
  explicit EntriesReader(const fs::path& file) : name_(file.string()), folder_(file.parent_path()) {}

  /// Calls the reader of each key of a map.
  void read_keys(const YAML::Node& map, const std::map<std::string, Reader>& readers) const {
    if (!map.IsMap())
      throw InputError(
          fmt::format("{}: expected keys with values, found {}", place(name_, map.Mark()), describe(map)));
    std::set<std::string> seen;
    for (const auto& item : map) {
      const auto origin = place(name_, item.first.Mark());
      if (!item.first.IsScalar())
        throw InputError(fmt::format("{}: expected a key, found {}", origin, describe(item.first)));
      const auto& key = item.first.Scalar();
      const auto reader = readers.find(key);
      if (reader == readers.end()) {
        std::vector<std::string> names;
        names.reserve(readers.size());
        for (const auto& [known, ignored] : readers) names.push_back(known);
        reject(origin, key, fmt::format("unknown; expected one of {}", fmt::join(names, ", ")));
      }
      if (!seen.insert(key).second) reject(origin, key, "stands twice");
      reader->second(item.second, origin);
    }
  }

  Reader text(const char* key, std::string& to) const {
    return
        [&to, key](const YAML::Node& value, const std::string& origin) { to = scalar(key, value, origin); };
  }

  /// A path relative to this file.
  Reader path(const char* key, std::string& to) const {
    return [this, &to, key](const YAML::Node& value, const std::string& origin) {
      to = absolute_path(folder_, scalar(key, value, origin));
    };
  }

  static Reader number(const char* key, std::optional<double>& to) {
    return [&to, key](const YAML::Node& value, const std::string& origin) {
      to = parse_real(scalar(key, value, origin));
      if (!to) reject(origin, key, fmt::format("expected a number, found {}", describe(value)));
    };
  }

  static Reader seeds(std::vector<std::int64_t>& to) {
    return [&to](const YAML::Node& value, const std::string& origin) {
      to.clear();
      constexpr std::int64_t kMost = std::int64_t{1} << 53U;
      const auto whole = [&](const YAML::Node& node, std::int64_t least) {
        const auto number = node.IsScalar() ? parse_integer(node.Scalar()) : std::nullopt;
        if (!number || *number < least || *number > kMost)
          reject(origin, "seeds",
                 fmt::format("expected how many, or a list of different ones from 0 to {}, found {}", kMost,
                             describe(node)));
        return *number;
      };
      if (value.IsSequence()) {
        for (const auto& seed : value) {
          to.push_back(whole(seed, 0));
          if (std::ranges::count(to, to.back()) > 1)
            reject(origin, "seeds", fmt::format("{} stands twice", to.back()));
        }
        if (to.empty()) reject(origin, "seeds", "expected at least one");
        return;
      }
      const auto count = whole(value, 1);
      if (count > 1000) reject(origin, "seeds", fmt::format("expected at most 1000, found {}", count));
      for (std::int64_t seed = 1; seed <= count; ++seed) to.push_back(seed);
    };
  }

  static Reader average(std::int64_t& to) {
    return [&to](const YAML::Node& value, const std::string& origin) {
      constexpr std::int64_t kMost = 1000000;
      const auto number = value.IsScalar() ? parse_integer(value.Scalar()) : std::nullopt;
      if (!number || *number < 1 || *number > kMost)
        reject(origin, "average",
               fmt::format("expected a whole number from 1 to {}, found {}", kMost, describe(value)));
      to = *number;
    };
  }

  Reader settings(std::vector<Setting>& to) const {
    return [this, &to](const YAML::Node& value, const std::string& origin) {
      for_each_key(
          value, "set", origin, [&](const std::string& name, const YAML::Node& node, const std::string& at) {
            const Key* key = known(name, at);
            Setting setting{.key = name, .values = {}, .origin = at};
            const auto add = [&](const YAML::Node& one) {
              if (!one.IsScalar() && !(one.IsNull() && key->kind == Key::Kind::path))
                reject(at, name,
                       fmt::format("expected {}, or a list of them, found {}", key->expected, describe(one)));
              auto text = one.IsNull() ? std::string() : one.Scalar();
              if (key->kind == Key::Kind::path) text = absolute_path(folder_, text);
              setting.values.push_back(std::move(text));
            };
            if (node.IsSequence())
              std::ranges::for_each(node, add);
            else
              add(node);
            if (setting.values.empty()) reject(at, name, "expected at least one value, found an empty list");
            to.push_back(std::move(setting));
          });
    };
  }

  Reader scalings(std::vector<Scaling>& to) const {
    return [this, &to](const YAML::Node& value, const std::string& origin) {
      for_each_key(
          value, "scale", origin,
          [&](const std::string& name, const YAML::Node& node, const std::string& at) {
            known(name, at);
            const auto text = scalar(name.c_str(), node, at);
            const auto slash = text.find('/');
            const auto over = parse_real(std::string_view(text).substr(0, slash));
            const auto under =
                slash == std::string::npos ? 1.0 : parse_real(std::string_view(text).substr(slash + 1));
            if (!over || !under || *over <= 0 || *under <= 0)
              reject(at, name,
                     fmt::format("expected a factor above 0, such as 2 or 1/4, found {}", describe(node)));
            to.push_back({.key = name, .factor = *over / *under, .origin = at});
          });
    };
  }

  const std::string& name() const { return name_; }

 private:
  static std::string scalar(const char* key, const YAML::Node& value, const std::string& origin) {
    if (!value.IsScalar() || value.Scalar().empty() || value.Scalar().find('\0') != std::string::npos)
      reject(origin, key, fmt::format("expected one value, found {}", describe(value)));
    return value.Scalar();
  }

  static const Key* known(const std::string& name, const std::string& origin) {
    const Key* key = find_key(name);
    if (key == nullptr) reject(origin, name, fmt::format("unknown; did you mean '{}'?", nearest_key(name)));
    if (key->kind == Key::Kind::directive) reject(origin, name, "can stand in an experiment's file only");
    if (name == "seed") reject(origin, name, "expected 'seeds' of the list or the experiment instead");
    return key;
  }

  /// The keys below `map`, whether they are written as model.heads or as heads below model.
  void for_each_key(
      const YAML::Node& map, const std::string& section, const std::string& origin,
      const std::function<void(const std::string&, const YAML::Node&, const std::string&)>& visit,
      const std::string& prefix = "") const {
    if (!map.IsMap())
      reject(origin, section, fmt::format("expected keys with values, found {}", describe(map)));
    for (const auto& item : map) {
      const auto at = place(name_, item.first.Mark());
      if (!item.first.IsScalar())
        throw InputError(fmt::format("{}: expected a key, found {}", at, describe(item.first)));
      const auto key = prefix + item.first.Scalar();
      if (prefix.empty() && is_section(key))
        for_each_key(item.second, key, at, visit, key + ".");
      else
        visit(key, item.second, at);
    }
  }

  std::string name_;
  fs::path folder_;
};

void check_name(const std::string& origin, const char* key, const std::string& name) {
  const bool fit =
      !name.empty() && name.size() <= 100 && name.front() != '.' && std::ranges::all_of(name, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               std::string_view("-_.+=,").find(c) != std::string_view::npos;
      });
  if (!fit)
    reject(origin, key,
           fmt::format("expected one that can be a folder's (letters, digits and -_.+=,), found {}",
                       quote(name)));
}

ExperimentEntry read_entry(const EntriesReader& reader, const YAML::Node& node) {
  ExperimentEntry entry;
  entry.origin = place(reader.name(), node.Mark());
  const auto paper = [&](const YAML::Node& value, const std::string&) {
    reader.read_keys(value, {{"perplexity", EntriesReader::number("perplexity", entry.paper.perplexity)},
                             {"bleu", EntriesReader::number("bleu", entry.paper.bleu)},
                             {"parameters", EntriesReader::number("parameters", entry.paper.parameters)}});
  };
  reader.read_keys(node, {{"name", reader.text("name", entry.name)},
                          {"group", reader.text("group", entry.group)},
                          {"config", reader.path("config", entry.config)},
                          {"relative", reader.text("relative", entry.relative)},
                          {"set", reader.settings(entry.set)},
                          {"scale", reader.scalings(entry.scale)},
                          {"seeds", EntriesReader::seeds(entry.seeds)},
                          {"average", EntriesReader::average(entry.average)},
                          {"paper", paper}});
  check_name(entry.origin, "name", entry.name);
  if (!entry.relative.empty()) check_name(entry.origin, "relative", entry.relative);
  return entry;
}

/// Adds an experiment, or its keys to the one of that name.
void add_entry(std::vector<ExperimentEntry>& entries, ExperimentEntry entry, std::size_t inherited) {
  const auto known = std::ranges::find(entries, entry.name, &ExperimentEntry::name);
  if (known == entries.end()) {
    entries.push_back(std::move(entry));
    return;
  }
  if (known - entries.begin() >= static_cast<std::ptrdiff_t>(inherited))
    reject(entry.origin, "name", fmt::format("'{}' stands already at {}", entry.name, known->origin));
  known->origin = entry.origin;
  if (!entry.group.empty()) known->group = entry.group;
  if (!entry.config.empty()) known->config = entry.config;
  if (!entry.relative.empty()) known->relative = entry.relative;
  if (!entry.seeds.empty()) known->seeds = entry.seeds;
  if (entry.average > 0) known->average = entry.average;
  if (entry.paper.perplexity) known->paper.perplexity = entry.paper.perplexity;
  if (entry.paper.bleu) known->paper.bleu = entry.paper.bleu;
  if (entry.paper.parameters) known->paper.parameters = entry.paper.parameters;
  std::ranges::move(entry.set, std::back_inserter(known->set));
  std::ranges::move(entry.scale, std::back_inserter(known->scale));
}

ExperimentEntries read_entries(const fs::path& file, std::vector<fs::path>& chain) {
  const EntriesReader reader(file);
  ExperimentEntries entries;
  chain.push_back(file);
  with_document(read_file(file, kLongestConfiguration), reader.name(), [&](const YAML::Node& root) {
    if (!root.IsMap())
      throw InputError(fmt::format("{}: expected keys with values, found {}",
                                   place(reader.name(), root.Mark()), describe(root)));
    const auto other = [&](const char* key) -> std::optional<ExperimentEntries> {
      const auto node = root[key];
      if (!node) return std::nullopt;
      std::string path;
      const auto origin = place(reader.name(), node.Mark());
      reader.path(key, path)(node, origin);
      for (const auto& link : chain) {
        std::error_code ignored;
        if (fs::equivalent(link, path, ignored)) reject(origin, key, fmt::format("circular: {} again", path));
      }
      check_extends(origin, path, key);
      return read_entries(path, chain);
    };
    if (auto parent = other("extends")) entries = std::move(*parent);
    if (auto rows = other("relative"))
      for (auto& entry : in_proportion(std::move(*rows), place(reader.name(), root["relative"].Mark())))
        add_entry(entries.experiments, std::move(entry), entries.experiments.size());
    const auto inherited = entries.experiments.size();
    const auto experiments = [&](const YAML::Node& value, const std::string& origin) {
      if (!value.IsSequence())
        reject(origin, "experiments", fmt::format("expected a list, found {}", describe(value)));
      for (const auto& node : value) add_entry(entries.experiments, read_entry(reader, node), inherited);
    };
    const auto base = [&](const YAML::Node& value, const std::string& origin) {
      reader.path("base", entries.base)(value, origin);
      entries.base_origin = origin;
    };
    const auto read_above = [](const YAML::Node&, const std::string&) {};
    reader.read_keys(root, {{"title", reader.text("title", entries.title)},
                            {"extends", read_above},
                            {"relative", read_above},
                            {"base", base},
                            {"output", reader.path("output", entries.output)},
                            {"seeds", EntriesReader::seeds(entries.seeds)},
                            {"average", EntriesReader::average(entries.average)},
                            {"set", reader.settings(entries.set)},
                            {"experiments", experiments}});
  });
  chain.pop_back();
  return entries;
}

}  // namespace

ExperimentEntries read_experiment_entries(const fs::path& file) {
  std::vector<fs::path> chain;
  return read_entries(file, chain);
}

}  // namespace transformer::experiments
