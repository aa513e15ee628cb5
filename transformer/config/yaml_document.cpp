#include "transformer/config/yaml_document.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>

#include <sstream>

#include "transformer/base/error.h"
#include "transformer/base/text_file.h"
#include "transformer/config/scalar.h"

namespace transformer::config {
namespace {

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
  explicit DocumentCounter(const std::string& name) : name_(name) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ == 1) return;
    throw InputError(fmt::format("{}: expected the end of the YAML, found more", place(name_, mark)));
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
  const std::string& name_;
  int documents_ = 0;
};

/// YAML::LoadAll would not do: at a stray comma it finds an empty document, and again, until memory ends.
YAML::Node load_only_document(const std::string& text, const std::string& name) {
  // Without its last line's end: with it yaml-cpp takes a quoted text that is never closed for one that ends
  // there.
  const auto whole = text.substr(0, text.find_last_not_of("\r\n") + 1);
  std::istringstream stream(whole);
  YAML::Parser parser(stream);
  DocumentCounter counter(name);
  while (parser.HandleNextDocument(counter)) continue;
  return YAML::Load(whole);
}

}  // namespace

std::string place(const std::string& name, const YAML::Mark& mark) {
  return mark.is_null() ? one_line(name) : fmt::format("{}:{}", one_line(name), mark.line + 1);
}

std::string describe(const YAML::Node& node) {
  if (node.IsNull()) return "nothing";
  if (node.IsSequence()) return "a list";
  if (node.IsMap()) return "keys with values";
  return quote(node.Scalar());
}

void with_document(const std::string& text, const std::string& name,
                   const std::function<void(const YAML::Node& root)>& read) {
  check_text(text, one_line(name));
  try {
    read(load_only_document(text, name));
  } catch (const YAML::Exception& error) {
    throw InputError(one_line(fmt::format("{}: not valid YAML: {}", place(name, error.mark), error.msg)));
  }
}

}  // namespace transformer::config
