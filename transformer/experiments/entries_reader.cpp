#include "transformer/experiments/entries_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "transformer/base/error.h"
#include "transformer/config/flatten.h"
#include "transformer/config/scalar.h"
#include "transformer/experiments/experiment_list.h"

namespace transformer::experiments {

using namespace config;  // whose language a list is written in

namespace {

std::string scalar(const char* key, const YAML::Node& value, const std::string& origin) {
  if (!value.IsScalar() || value.Scalar().empty() || value.Scalar().find('\0') != std::string::npos)
    reject(origin, key, fmt::format("expected one value, found {}", describe(value)));
  return value.Scalar();
}

const Key* known(const std::string& name, const std::string& origin) {
  const Key* key = find_key(name);
  if (key == nullptr) reject(origin, name, describe_unknown(name));
  if (key->kind == Key::Kind::directive) reject(origin, name, "can stand in an experiment's file only");
  if (name == "seed") reject(origin, name, "expected 'seeds' of the list or the experiment instead");
  return key;
}

}  // namespace

void EntriesReader::read_keys(const YAML::Node& map, const std::map<std::string, Reader>& readers) const {
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

Reader EntriesReader::text(const char* key, std::string& to) {
  return [&to, key](const YAML::Node& value, const std::string& origin) { to = scalar(key, value, origin); };
}

Reader EntriesReader::path(const char* key, std::string& to) const {
  return [this, &to, key](const YAML::Node& value, const std::string& origin) {
    to = absolute_path(folder_, scalar(key, value, origin));
  };
}

Reader EntriesReader::number(const char* key, std::optional<double>& to) {
  return [&to, key](const YAML::Node& value, const std::string& origin) {
    to = parse_real(scalar(key, value, origin));
    if (!to) reject(origin, key, fmt::format("expected a number, found {}", describe(value)));
  };
}

Reader EntriesReader::positive(const char* key, std::optional<double>& to, const char* what, double most) {
  return [&to, key, what, most](const YAML::Node& value, const std::string& origin) {
    number(key, to)(value, origin);
    if (!(*to > 0 && *to <= most))
      reject(origin, key, fmt::format("expected {}, found {}", what, describe(value)));
  };
}

Reader EntriesReader::boolean(const char* key, std::optional<bool>& to) {
  return [&to, key](const YAML::Node& value, const std::string& origin) {
    to = parse_boolean(scalar(key, value, origin));
    if (!to) reject(origin, key, fmt::format("expected true or false, found {}", describe(value)));
  };
}

Reader EntriesReader::tokenizations(std::vector<eval::MetricOptions>& to) {
  return [&to](const YAML::Node& value, const std::string& origin) {
    to.clear();
    const auto add = [&](const YAML::Node& node) {
      const auto text = scalar("tokenize", node, origin);
      std::string name = text;
      const bool lowercase = name.ends_with(kLowercase);
      if (lowercase) name.resize(name.size() - kLowercase.size());
      const auto tokenization = value_named<eval::Tokenization>(name);
      if (!tokenization)
        reject(
            origin, "tokenize",
            fmt::format("expected some of {}, each with \"{}\" behind it or not, found {}",
                        fmt::join(all_names<eval::Tokenization>(), ", "), kLowercase.substr(1), quote(text)));
      to.push_back({*tokenization, lowercase});
      if (std::ranges::count(to, to.back()) > 1)
        reject(origin, "tokenize", fmt::format("{} stands twice", text));
    };
    if (value.IsSequence())
      std::ranges::for_each(value, add);
    else
      add(value);
    if (to.empty()) reject(origin, "tokenize", "expected at least one");
  };
}

Reader EntriesReader::seeds(std::vector<std::int64_t>& to) {
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

Reader EntriesReader::average(std::int64_t& to) {
  return [&to](const YAML::Node& value, const std::string& origin) {
    constexpr std::int64_t kMost = 1000000;
    const auto number = value.IsScalar() ? parse_integer(value.Scalar()) : std::nullopt;
    if (!number || *number < 1 || *number > kMost)
      reject(origin, "average",
             fmt::format("expected a whole number from 1 to {}, found {}", kMost, describe(value)));
    to = *number;
  };
}

Reader EntriesReader::settings(std::vector<Setting>& to) const {
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

Reader EntriesReader::scalings(std::vector<Scaling>& to) const {
  return [this, &to](const YAML::Node& value, const std::string& origin) {
    for_each_key(
        value, "scale", origin, [&](const std::string& name, const YAML::Node& node, const std::string& at) {
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

void EntriesReader::for_each_key(
    const YAML::Node& map, const std::string& section, const std::string& origin,
    const std::function<void(const std::string&, const YAML::Node&, const std::string&)>& visit) const {
  std::map<std::string, std::string> seen;
  for_each_key(
      map, section, origin,
      [&](const std::string& key, const YAML::Node& value, const std::string& at) {
        if (const auto [first, is_new] = seen.emplace(key, at); !is_new)
          reject(at, key, fmt::format("stands already at {}", first->second));
        visit(key, value, at);
      },
      "");
}

void EntriesReader::for_each_key(
    const YAML::Node& map, const std::string& section, const std::string& origin,
    const std::function<void(const std::string&, const YAML::Node&, const std::string&)>& visit,
    const std::string& prefix) const {
  if (!map.IsMap())
    reject(origin, section, fmt::format("expected keys with values, found {}", describe(map)));
  for (const auto& item : map) {
    const auto at = place(name_, item.first.Mark());
    if (!item.first.IsScalar())
      throw InputError(fmt::format("{}: expected a key, found {}", at, describe(item.first)));
    const auto key = prefix + item.first.Scalar();
    if (is_section(key))
      for_each_key(item.second, key, at, visit, key + ".");
    else
      visit(key, item.second, at);
  }
}

}  // namespace transformer::experiments
