// A configuration file that may extend another, and overrides: YAML, then any number of key=value, with a
// unit separator (U+001F) before each.
#include <filesystem>
#include <fstream>

#include "tests/fuzz/check.h"
#include "tests/fuzz/target.h"
#include "tests/temporary_folder.h"
#include "transformer/base/text_file.h"
#include "transformer/config/departures.h"
#include "transformer/config/keys.h"
#include "transformer/config/validate.h"
#include "transformer/config/yaml.h"

namespace transformer::fuzz {
namespace {

using config::Experiment;

constexpr char separator = '\x1f';

std::vector<std::string> split(std::string_view input) {
  std::vector<std::string> parts;
  while (true) {
    const auto end = input.find(separator);
    parts.emplace_back(input.substr(0, end));
    if (end == std::string_view::npos) return parts;
    input.remove_prefix(end + 1);
  }
}

std::optional<Experiment> read(const std::string& text, const std::vector<std::string>& overrides) {
  static const test::TemporaryFolder folder;
  static const auto base = folder.write("base.yaml", "model: {layers: 2}\ndata: {train: text/train}\n");
  return accepted(
      [&] { return config::parse_experiment(text, folder.path() / "experiment.yaml", overrides); });
}

}  // namespace

std::vector<std::string> seeds() {
  std::vector<std::string> all = {
      config::to_yaml({}),
      "extends: base.yaml\nmodel:\n  d_k: 16\n",
      "data: {source: de, target: en, train: text/train, prepared: ../p}\nmodel: {layers: 6, decoder_layers: "
      "1e0}",
      "\x1fmodel.layers=2\x1f"
      "data.source=fr\x1f"
      "model.positions=learned\x1ftrain.factor=0.5",
      "data: {train: \"a \\\"quoted\\\" \\x01 \\u00fc path\", max_ratio: .5e1}\n# comment\n---\n",
      "a: &x [1, {b: *x}]\n? complex\n: |\n  literal\n   block\n!!str tag: !local 'single'\n",
  };
  for (const auto& file : std::filesystem::recursive_directory_iterator(FUZZ_CONFIGS)) {
    if (file.path().extension() == ".yaml") all.push_back(test::content_of(file.path()));
  }
  return all;
}

std::vector<std::string> words() {
  std::vector<std::string> all = {"\x1f", "=",    ": ",   "\n  ", "\n",  "- ",     "{",       "}",    "[",
                                  "]",    "&a ",  "*a",   "!!",   "<<:", "!!null", "? ",      "| \n", "> \n",
                                  "---",  "...",  "%",    "# ",   "\"",  "'",      "\\x",     "\\u",  "\\0",
                                  "~",    "true", "null", "1e3",  ".5",  "-1",     "1e12",    ", ",   "\r",
                                  "\t",   "\xff", "\xfe", "nan",  "inf", "0x8",    "\xc2\x85"};
  for (const auto& key : config::keys()) {
    all.push_back(key.name + '=');
    all.push_back(key.name.substr(key.name.find('.') + 1) + ": ");
  }
  for (const auto* section : {"data:", "model:", "train:", "decode:", "base.yaml"}) all.emplace_back(section);
  return all;
}

}  // namespace transformer::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace transformer;
  const auto parts = fuzz::split(fuzz::text_of(data, size));
  const auto experiment = fuzz::read(parts.front(), {parts.begin() + 1, parts.end()});
  if (!experiment) return 0;
  fuzz::require(!config::find_problem(*experiment), "what is read has no problem");
  fuzz::require(fuzz::read(config::to_yaml(*experiment), {}) == experiment,
                "an experiment reads back as it was written");
  config::departures(*experiment);
  return 0;
}
