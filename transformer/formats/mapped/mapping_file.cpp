#include "transformer/formats/mapped/mapping_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "transformer/base/error.h"
#include "transformer/base/text_file.h"
#include "transformer/config/scalar.h"
#include "transformer/config/yaml.h"
#include "transformer/config/yaml_document.h"

namespace transformer::formats {
namespace mapping {
namespace {

namespace fs = std::filesystem;
using config::describe;
using config::quote;
using YAML::Node;

/// The lines of a text that belong to one of its sections, at their places: others become blank.
std::string section_of(const std::string& text, int first, int behind) {
  std::string section;
  int line = 0;
  for (const char c : text) {
    if (c == '\n')
      ++line;
    else if (line < first || line >= behind)
      continue;
    section += c;
  }
  return section;
}

class Reader {
 public:
  explicit Reader(const fs::path& file)
      : name_(file.string()), text_(read_file(file, config::kLongestConfiguration)) {
    result_.path = file;
  }

  MappingFile read() {
    config::with_document(text_, name_, [&](const Node& root) { read_root(root); });
    return std::move(result_);
  }

 private:
  using Readers = std::map<std::string, std::function<void(const Node&)>>;

  [[noreturn]] void refuse(const Node& node, const std::string& problem) const {
    throw InputError(fmt::format("{}: {}", place(node), problem));
  }
  std::string place(const Node& node) const { return config::place(name_, node.Mark()); }

  /// Calls the reader of each key of a section.
  void each_key(const Node& section, const std::string& name, const Readers& readers) const {
    if (!section.IsMap())
      refuse(section, fmt::format("{}: expected keys with values, found {}", name, describe(section)));
    std::set<std::string> found;
    for (const auto& entry : section) {
      const auto key = text(entry.first, name);
      const auto reader = readers.find(key);
      if (reader == readers.end()) {
        std::vector<std::string> known;
        for (const auto& [each, ignored] : readers) known.push_back(each);
        refuse(entry.first, fmt::format("{}: expected one of the keys {}, found {}", name,
                                        fmt::join(known, ", "), quote(key)));
      }
      if (!found.insert(key).second)
        refuse(entry.first, fmt::format("{}: expected the key '{}' once, found it twice", name, key));
      reader->second(entry.second);
    }
  }

  std::string text(const Node& node, const std::string& name) const {
    if (!node.IsScalar() || node.Scalar().empty())
      refuse(node, fmt::format("{}: expected a text, found {}", name, describe(node)));
    return node.Scalar();
  }

  auto into(std::string& value, const std::string& name) const {
    return [&value, name, this](const Node& node) { value = text(node, name); };
  }

  std::vector<std::string> texts(const Node& node, const std::string& name) const {
    std::vector<std::string> all;
    if (node.IsSequence())
      for (const auto& each : node) all.push_back(text(each, name));
    else
      all.push_back(text(node, name));
    return all;
  }

  std::vector<NamePattern> patterns(const Node& list, const std::string& name) const {
    if (!list.IsSequence())
      refuse(list, fmt::format("{}: expected a list of regular expressions, found {}", name, describe(list)));
    std::vector<NamePattern> all;
    for (const auto& each : list) all.emplace_back(text(each, name), place(each));
    return all;
  }

  void read_root(const Node& root) {
    bool has_vocabulary = false;
    each_key(root, "mapping",
             {{"model", [&](const Node& node) { read_model(root, node); }},
              {"state", into(result_.state, "state")},
              {"tensors", [&](const Node& node) { read_tensors(node); }},
              {"ignore", [&](const Node& node) { result_.ignore = patterns(node, "ignore"); }},
              {"zeros", [&](const Node& node) { result_.zeros = patterns(node, "zeros"); }},
              {"vocabulary", [&](const Node& node) { read_vocabulary(node), has_vocabulary = true; }}});
    if (result_.tensors.empty() || !has_vocabulary)
      refuse(root, "expected the sections 'tensors' and 'vocabulary', found one of them missing");
    const auto& kind = result_.model.kind;
    if (kind && kind.name != models::kDecoder)
      refuse(root, fmt::format("model.kind: expected encoder-decoder or decoder, found '{}'", kind.name));
    if (kind && !result_.shared)
      refuse(root, "vocabulary: expected one vocabulary for a decoder, found one of each side");
  }

  /// As a configuration of its own, whose messages name the lines of this file.
  void read_model(const Node& root, const Node& model) {
    const int end = static_cast<int>(std::ranges::count(text_, '\n')) + 1;
    int first = 0, behind = end;
    for (const auto& entry : root) {
      const auto line = entry.first.Mark().line;
      if (entry.second.is(model)) first = line;
    }
    for (const auto& entry : root)
      if (const auto line = entry.first.Mark().line; line > first) behind = std::min(behind, line);
    // No training follows, so learned positions need not suffice for its longest sentences.
    const std::vector<std::string> no_data{"data.max_tokens=1"};
    result_.model = config::parse_experiment(section_of(text_, first, behind), result_.path, no_data).model;
  }

  void read_tensors(const Node& list) {
    if (!list.IsSequence())
      refuse(list, fmt::format("tensors: expected a list of rules, found {}", describe(list)));
    for (const auto& each : list) {
      std::string from, transform = "none";
      std::vector<std::string> to;
      each_key(each, "tensors",
               {{"from", into(from, "from")},
                {"to", [&](const Node& node) { to = texts(node, "to"); }},
                {"transform", into(transform, "transform")}});
      if (from.empty() || to.empty())
        refuse(each, "tensors: expected 'from' and 'to' in each rule, found one of them missing");
      const std::map<std::string, TensorTransform> transforms{{"none", TensorTransform::none},
                                                              {"transposed", TensorTransform::transposed},
                                                              {"squeezed", TensorTransform::squeezed}};
      const auto found = transforms.find(transform);
      if (found == transforms.end())
        refuse(each,
               fmt::format("transform: expected none, transposed or squeezed, found {}", quote(transform)));
      result_.tensors.push_back({NamePattern(from, place(each)), to, found->second, place(each)});
    }
  }

  Readers token_readers(MappedTokens& tokens) const {
    return {{"file", into(tokens.file, "file")},    {"key", into(tokens.key, "key")},
            {"model", into(tokens.model, "model")}, {"unknown", into(tokens.unknown, "unknown")},
            {"pad", into(tokens.pad, "pad")},       {"begin", into(tokens.begin, "begin")},
            {"end", into(tokens.end, "end")},       {"first", into(tokens.first, "first")}};
  }

  void check(const Node& node, MappedTokens& tokens) const {
    tokens.place = place(node);
    if (tokens.file.empty() && tokens.model.empty())
      refuse(node, "vocabulary: expected 'file', 'model' or both, found neither");
  }

  void read_vocabulary(const Node& node) {
    std::string split = "words";
    bool sides = false;
    const auto side = [&](MappedTokens& tokens) {
      return [&](const Node& each) {
        each_key(each, "vocabulary", token_readers(tokens));
        check(each, tokens);
        sides = true;
      };
    };
    MappedTokens shared;
    auto readers = token_readers(shared);
    readers["split"] = into(split, "split");
    readers["source"] = side(result_.source);
    readers["target"] = side(result_.target);
    each_key(node, "vocabulary", readers);
    if (split != "words" && split != "characters")
      refuse(node, fmt::format("split: expected words or characters, found {}", quote(split)));
    result_.split = split == "words" ? TokenSplit::words : TokenSplit::characters;
    result_.shared = !sides;
    if (!sides) {
      check(node, shared);
      result_.source = result_.target = shared;
    } else if (result_.source.place.empty() || result_.target.place.empty() || !shared.file.empty() ||
               !shared.model.empty()) {
      refuse(node,
             "vocabulary: expected both 'source' and 'target', or one vocabulary for both, found a part");
    }
  }

  std::string name_, text_;
  MappingFile result_{};
};

}  // namespace
}  // namespace mapping

MappingFile read_mapping(const std::filesystem::path& file) {
  return mapping::Reader(file).read();
}

}  // namespace transformer::formats
