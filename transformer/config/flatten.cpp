#include "transformer/config/flatten.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <sstream>

#include "transformer/base/error.h"
#include "transformer/base/text_file.h"
#include "transformer/config/scalar.h"

namespace transformer::config {
namespace {

class Flattener {
 public:
  explicit Flattener(const std::string& name) : name_(one_line(name)) {}

  /// Takes the keys of a section; `prefix` is empty or the section's name and a dot.
  void add_all(const YAML::Node& section, const std::string& prefix) {
    for (const auto& item : section) {
      const auto origin = place(item.first.Mark());
      if (!item.first.IsScalar())
        throw InputError(fmt::format("{}: expected a key, found {}", origin, describe(item.first)));
      add(prefix + item.first.Scalar(), item.second, origin);
    }
  }

  std::string place(const YAML::Mark& mark) const {
    return mark.is_null() ? name_ : fmt::format("{}:{}", name_, mark.line + 1);
  }

  static std::string describe(const YAML::Node& node) {
    if (node.IsNull()) return "nothing";
    if (node.IsSequence()) return "a list";
    if (node.IsMap()) return "keys with values";
    return quote(node.Scalar());
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
      reject(origin, key_name,
             fmt::format("unknown; did you mean '{}'?",
                         top_level_section ? nearest_section(key_name) : nearest_key(key_name)));
    }
    refuse_second(key_name, origin);
    const bool empty_path = value.IsNull() && key->kind == Key::Kind::path;
    if (!value.IsScalar() && !empty_path)
      reject(origin, key_name, fmt::format("expected {}, found {}", key->expected, describe(value)));
    // yaml-cpp marks a quoted scalar by the tag "!".
    Value scalar = empty_path ? Value{} : Value{.text = value.Scalar(), .quoted = value.Tag() == "!"};
    if (scalar.text.find('\0') != std::string::npos)  // a path would end there
      reject(origin, key_name, fmt::format("expected {}, found text with a NUL character", key->expected));
    assignments_.push_back({.key = key, .value = std::move(scalar), .origin = origin});
  }

  void refuse_second(const std::string& key_name, const std::string& origin) {
    for (const auto& [seen, place] : seen_) {
      if (seen == key_name) reject(origin, key_name, fmt::format("stands already at {}", place));
    }
    seen_.emplace_back(key_name, origin);
  }

  std::string name_;
  std::vector<Assignment> assignments_;
  std::vector<std::pair<std::string, std::string>> seen_;
};

/// yaml-cpp takes bytes that are not UTF-8 for whatever comes to its mind.
void check_text(const std::string& text, const std::string& name) {
  std::istringstream stream(text);
  LineReader reader(stream, name);
  for (std::string line; reader.next(line);) {
  }
}

/// Looks for a second document and for nothing else.
class DocumentCounter : public YAML::EventHandler {
 public:
  explicit DocumentCounter(const Flattener& places) : places_(places) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ == 1) return;
    throw InputError(fmt::format("{}: expected the end of the YAML, found more", places_.place(mark)));
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
  }
  void OnMapEnd() override {}

 private:
  const Flattener& places_;
  int documents_ = 0;
};

/// YAML::LoadAll would not do: at a stray comma it finds an empty document, and again, until memory ends.
YAML::Node load_only_document(const std::string& text, const Flattener& places) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentCounter counter(places);
  while (parser.HandleNextDocument(counter)) continue;
  return YAML::Load(text);
}

}  // namespace

void reject(const std::string& origin, const std::string& key, const std::string& message) {
  throw InputError(one_line(fmt::format("{}: key {}: {}", origin, quote(key), message)));
}

std::vector<Assignment> flatten(const std::string& text, const std::string& name) {
  check_text(text, one_line(name));
  Flattener flattener(name);
  try {
    const YAML::Node root = load_only_document(text, flattener);
    if (!root.IsMap() && !root.IsNull()) {
      throw InputError(fmt::format("{}: expected keys with values, found {}", flattener.place(root.Mark()),
                                   Flattener::describe(root)));
    }
    flattener.add_all(root, "");
  } catch (const YAML::Exception& error) {
    throw InputError(one_line(fmt::format("{}: not valid YAML: {}", flattener.place(error.mark), error.msg)));
  }
  return flattener.take();
}

}  // namespace transformer::config
