#include "transformer/config/flatten.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "transformer/base/error.h"
#include "transformer/config/scalar.h"
#include "transformer/config/yaml_document.h"

namespace transformer::config {
namespace {

class Flattener {
 public:
  explicit Flattener(const std::string& name) : name_(name) {}

  /// Takes the keys of a section; `prefix` is empty or the section's name and a dot.
  void add_all(const YAML::Node& section, const std::string& prefix) {
    for (const auto& item : section) {
      const auto origin = place(name_, item.first.Mark());
      if (!item.first.IsScalar())
        throw InputError(fmt::format("{}: expected a key, found {}", origin, describe(item.first)));
      add(prefix + item.first.Scalar(), item.second, origin);
    }
  }

  std::vector<Assignment> take() { return std::move(assignments_); }

 private:
  void add(const std::string& key_name, const YAML::Node& value, const std::string& origin) {
    if (is_section(key_name)) {
      if (!value.IsMap() && !value.IsNull())
        reject(origin, key_name, fmt::format("expected keys below it, found {}", describe(value)));
      refuse_second(key_name, origin);
      add_all(value, key_name + ".");
      return;
    }
    const Key* key = find_key(key_name);
    if (key == nullptr) {
      const bool top_level_section = value.IsMap() && key_name.find('.') == std::string::npos;
      reject(origin, key_name, describe_unknown(key_name, top_level_section));
    }
    refuse_second(key_name, origin);
    const bool empty_path = value.IsNull() && key->kind == Key::Kind::path;
    if (key->is_list && value.IsSequence()) {
      for (const auto& item : value) refuse_nul(item, *key, origin);
      assignments_.push_back({.key = key, .value = {.text = joined(value, key->kind)}, .origin = origin});
      return;
    }
    if (!value.IsScalar() && !empty_path)
      reject(origin, key_name, fmt::format("expected {}, found {}", key->expected, describe(value)));
    if (const auto& tag = value.Tag(); !tag.empty() && tag != "?" && tag != "!")
      reject(origin, key_name, fmt::format("expected a value without a tag, found {}", quote(tag)));
    // yaml-cpp marks a quoted scalar by the tag "!".
    Value scalar = empty_path ? Value{} : Value{.text = value.Scalar(), .quoted = value.Tag() == "!"};
    refuse_nul(value, *key, origin);
    assignments_.push_back({.key = key, .value = std::move(scalar), .origin = origin});
  }

  /// A path would end there.
  static void refuse_nul(const YAML::Node& value, const Key& key, const std::string& origin) {
    if (value.IsScalar() && value.Scalar().find('\0') != std::string::npos)
      reject(origin, key.name, fmt::format("expected {}, found text with a NUL character", key.expected));
  }

  static std::string joined(const YAML::Node& list, Key::Kind kind) {
    std::vector<std::string> values;
    for (const auto& value : list) values.push_back(value.IsScalar() ? value.Scalar() : "");
    const char between = kind == Key::Kind::path ? kBetweenPaths : ',';
    return fmt::format("{}", fmt::join(values, std::string_view(&between, 1)));
  }

  void refuse_second(const std::string& key_name, const std::string& origin) {
    for (const auto& [seen, where] : seen_) {
      if (seen == key_name) reject(origin, key_name, fmt::format("stands already at {}", where));
    }
    seen_.emplace_back(key_name, origin);
  }

  std::string name_;
  std::vector<Assignment> assignments_;
  std::vector<std::pair<std::string, std::string>> seen_;
};

}  // namespace

void reject(const std::string& origin, const std::string& key, const std::string& message) {
  throw InputError(one_line(fmt::format("{}: key {}: {}", origin, quote(key), message)));
}

std::vector<Assignment> flatten(const std::string& text, const std::string& name) {
  Flattener flattener(name);
  with_document(text, name, [&](const YAML::Node& root) {
    if (!root.IsMap() && !root.IsNull()) {
      throw InputError(
          fmt::format("{}: expected keys with values, found {}", place(name, root.Mark()), describe(root)));
    }
    flattener.add_all(root, "");
  });
  return flattener.take();
}

void check_extends(const std::string& origin, const std::filesystem::path& file, const std::string& key) {
  std::error_code error;  // for what cannot even be looked for
  if (std::filesystem::exists(file, error) || error) return;
  reject(origin, key,
         fmt::format("expected a file, found none at {}; a path is relative to the folder of the file in "
                     "which it stands",
                     absolute_path({}, file.string())));
}

}  // namespace transformer::config
