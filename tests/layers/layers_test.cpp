// Which folder of transformer/ may include which. The table below is the rule.
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/catch.h"

namespace fs = std::filesystem;
using Layers = std::map<std::string, std::set<std::string>>;

namespace {

// "a: b" reads: a may include b, and all that b may include.
const Layers layers = {
    {"base", {}},
    {"kernels", {"base"}},
    {"trees", {"base"}},          // bracketed trees, and as tokens
    {"runtime", {"base"}},        // LibTorch's devices, memory, threads, products
    {"gpu", {"runtime"}},         // kernels for GPUs, compiled when a program runs
    {"distributed", {"base"}},    // several processes of one run: c10d
    {"ops", {"gpu", "kernels"}},  // functions of tensors, with their gradients
    {"variants", {"base"}},       // what is known of parts from outside; how they compute is in nn
    {"nn", {"ops", "variants"}},
    {"data", {"trees"}},
    {"eval", {"trees"}},
    {"models", {"nn"}},
    {"search", {"kernels"}},
    {"engine", {"search", "models"}},               // free of LibTorch, as the library of models' sizes is
    {"config", {"variants"}},                       // and the option structs of the folders that it fills
    {"checkpoints", {"config", "models", "data"}},  // model directories, run directories, safetensors
    {"train", {"checkpoints", "models", "data", "distributed"}},  // a task comes in as an interface
    {"report", {"eval", "search"}},
    {"maps", {"base"}},  // what attention's heads look at; free of LibTorch
    {"translation", {"engine", "models", "checkpoints", "maps"}},  // text in, text out
    {"tasks", {"train", "translation", "reading", "eval"}},  // what is learnt from which data, and judged how
    {"formats", {"translation"}},                            // other programs' formats
    {"generation", {"translation"}},
    {"reading", {"checkpoints"}},  // texts in, what an encoder says of them out
    {"experiments", {"train", "eval", "report"}},
};

// Headers that define what a model is: choices, options, the order of a layer, formulas. They are free of
// LibTorch and include only one another, base/choices.h and base/special_tokens.h, which need nothing. Any
// file may include them. A configuration consists of them.
const std::set<std::string> plain_headers = {"options.h", "types.h", "position_types.h", "layer_order.h",
                                             "frequencies.h"};

bool reaches(const std::string& from, const std::string& to) {
  if (from == to) return true;
  for (const auto& below : layers.at(from)) {
    if (reaches(below, to)) return true;
  }
  return false;
}

/// Whether a file of folder `from` may include transformer/`to`/`header`.
bool allowed(const std::string& from, const std::string& to, const std::string& header) {
  if (plain_headers.count(header) != 0) return true;
  return layers.count(to) != 0 && reaches(from, to);
}

const fs::path project = TRANSFORMER_SOURCE_DIR;

/// Calls see(folder, included folder, included header) for each include of transformer/ by transformer/.
template <typename See>
void for_each_include(See&& see) {
  const fs::path root = project / "transformer";
  const std::regex include(R"re(^\s*#\s*include\s*[<"]transformer/(?:([a-z_]+)/)?([A-Za-z0-9_./]+)[>"])re");
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const auto extension = entry.path().extension();
    if (extension != ".h" && extension != ".cpp") continue;
    const fs::path file = fs::relative(entry.path(), root);
    if (!file.has_parent_path()) continue;  // the precompiled header
    const std::string folder = *file.begin();
    INFO("transformer/" << file.string());
    REQUIRE(layers.count(folder) == 1);  // a new folder takes its place in the table
    std::ifstream text(entry.path());
    int number = 0;
    for (std::string line; std::getline(text, line);) {
      ++number;
      std::smatch match;
      INFO("line " << number << ": " << line);
      if (std::regex_search(line, match, include)) see(folder, match[1].str(), match[2].str());
    }
  }
}

std::string contents(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// The first group of each match.
std::vector<std::string> all_matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> all;
  for (std::sregex_iterator i(text.begin(), text.end(), pattern), end; i != end; ++i) all.push_back((*i)[1]);
  return all;
}

/// The table of CONTRIBUTING.md: rows "| `room` | what is in it | `room`, `room` |".
Layers table_of_page(const std::string& page) {
  static const std::regex row(R"re(\n\| `([a-z_]+)` \|[^\n]*\|([^|\n]*)\|(?=\n))re");
  static const std::regex name("`([a-z_]+)`");
  Layers table;
  for (std::sregex_iterator i(page.begin(), page.end(), row), end; i != end; ++i) {
    const auto names = all_matches((*i)[2], name);
    REQUIRE(table.emplace((*i)[1], std::set<std::string>(names.begin(), names.end())).second);
  }
  return table;
}

}  // namespace

TEST_CASE("no folder includes upward") {
  int seen = 0;
  for_each_include([&](const auto& folder, const auto& to, const auto& header) {
    ++seen;
    CHECK(allowed(folder, to, header));
  });
  CHECK(seen > 50);  // the walk found the sources
}

TEST_CASE("each arrow of the table is used") {
  Layers used;
  for_each_include([&](const auto& folder, const auto& to, const auto& header) {
    if (plain_headers.count(header) == 0) used[folder].insert(to);
  });
  for (const auto& [folder, belows] : layers) {
    for (const auto& below : belows) {
      INFO(folder << " → " << below);
      CHECK(used[folder].count(below) == 1);
    }
  }
}

TEST_CASE("the table of rooms in CONTRIBUTING.md is this one") {
  CHECK(table_of_page("|\n| `a` | `x` | `b`, `c` |\n| `d` | y | |\n") ==
        Layers{{"a", {"b", "c"}}, {"d", {}}});
  const auto found = table_of_page(contents(project / "CONTRIBUTING.md"));
  for (const auto& [folder, belows] : layers) {
    INFO(folder);
    REQUIRE(found.count(folder) == 1);
    CHECK(found.at(folder) == belows);
  }
  CHECK(found.size() == layers.size());
}

TEST_CASE("libraries link what their folders may include") {
  static const std::regex library(R"re(\btransformer_library\(([a-z0-9_]+)([^)]*)\))re");
  static const std::regex linked("transformer::([a-z0-9_]+)");
  struct Library {
    std::string folder;
    std::vector<std::string> links;
  };
  std::map<std::string, Library> libraries;
  for (const auto& [folder, belows] : layers) {
    const auto text = contents(project / "transformer" / folder / "CMakeLists.txt");
    for (std::sregex_iterator i(text.begin(), text.end(), library), end; i != end; ++i)
      libraries[(*i)[1]] = {folder, all_matches((*i)[2], linked)};
    INFO(folder);
    CHECK(libraries.count(folder) == 1);
  }
  int seen = 0;
  for (const auto& [name, library] : libraries) {
    for (const auto& link : library.links) {
      INFO(name << " links " << link);
      REQUIRE(libraries.count(link) == 1);
      CHECK(reaches(library.folder, libraries.at(link).folder));
      ++seen;
    }
  }
  CHECK(seen > 30);
}

namespace {

/// The files of transformer/ that `file` of it includes, directly or not, added to `reached`.
void add_included(const fs::path& root, const std::string& file, std::set<std::string>& reached) {
  static const std::regex include(R"re(^\s*#\s*include\s*[<"]transformer/([a-z0-9_./]+)[>"])re");
  std::ifstream text(root / file);
  REQUIRE(text);
  for (std::string line; std::getline(text, line);) {
    std::smatch match;
    if (std::regex_search(line, match, include) && reached.insert(match[1]).second)
      add_included(root, match[1], reached);
  }
}

/// The model and what it costs: headers, and words of the text.
const std::set<std::string> of_a_model = {"models/model.h", "models/encoder_decoder.h", "models/size.h",
                                          "checkpoints/model_directory.h"};
const std::regex word_of_a_model(R"re(EncoderDecoder|encoder_decoder|\bmodels::(?!VocabularySizes))re");

/// The cost of a training is computed by the model that the configuration names (train/cost.h).
bool knows_a_model(const std::string& file) {
  return fs::path(file).filename() == "cost.cpp";
}

}  // namespace

TEST_CASE("the trainer and the experiments know a task, not a model") {
  const fs::path root = fs::path(TRANSFORMER_SOURCE_DIR) / "transformer";
  int exceptions = 0, others = 0;
  for (const auto* folder : {"train", "experiments"}) {
    for (const auto& entry : fs::directory_iterator(root / folder)) {
      const auto extension = entry.path().extension();
      if (extension != ".h" && extension != ".cpp") continue;
      const auto file = fs::relative(entry.path(), root).string();
      INFO("transformer/" << file);
      std::set<std::string> reached;
      add_included(root, file, reached);
      bool knows = false;
      for (const auto& header : of_a_model) knows = knows || reached.count(header) != 0;
      std::ifstream text(entry.path());
      bool names = false;
      for (std::string line; std::getline(text, line);)
        names = names || std::regex_search(line, word_of_a_model);
      if (knows_a_model(file)) {
        CHECK(knows);  // else the rule sees nothing
        ++exceptions;
        continue;
      }
      ++others;
      CHECK_FALSE(knows);
      CHECK_FALSE(names);
    }
  }
  CHECK(exceptions == 1);
  CHECK(others > 30);
}

TEST_CASE("the table has no circle and no unknown folder") {
  for (const auto& [folder, belows] : layers) {
    for (const auto& below : belows) {
      INFO(folder << " → " << below);
      REQUIRE(layers.count(below) == 1);
      CHECK_FALSE(reaches(below, folder));
    }
  }
}

TEST_CASE("the rule tells right from wrong") {
  CHECK(allowed("train", "nn", "attention.h"));
  CHECK(allowed("models", "base", "error.h"));
  CHECK(allowed("config", "train", "options.h"));
  CHECK_FALSE(allowed("config", "train", "trainer.h"));
  CHECK_FALSE(allowed("nn", "models", "encoder_decoder.h"));
  CHECK_FALSE(allowed("data", "checkpoints", "safetensors.h"));
  CHECK_FALSE(allowed("train", "translation", "translator.h"));
}

TEST_CASE("the library includes neither the programs nor the tests") {
  const std::regex include(R"re(^\s*#\s*include\s*"(apps|tests|data)/)re");
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(TRANSFORMER_SOURCE_DIR) / "transformer")) {
    if (!entry.is_regular_file()) continue;
    INFO(entry.path().string());
    std::ifstream text(entry.path());
    for (std::string line; std::getline(text, line);) CHECK_FALSE(std::regex_search(line, include));
  }
}

namespace {

std::vector<fs::path> sources_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const auto extension = entry.path().extension();
    if (extension == ".h" || extension == ".cpp") files.push_back(entry.path());
  }
  return files;
}

/// What a configuration chooses: the enumerations in types.h, position_types.h and options.h of the rooms;
/// not those of `variants`, whose Kind is a name in other rooms, too.
std::string choices_as_pattern() {
  static const std::regex declaration(R"re(\benum class (\w+))re");
  std::string names;
  for (const auto& file : sources_in(project / "transformer")) {
    const auto name = file.filename();
    if (name != "types.h" && name != "position_types.h" && name != "options.h") continue;
    if (file.parent_path().filename() == "variants") continue;
    for (const auto& own : all_matches(contents(file), declaration))
      names += (names.empty() ? "" : "|") + own;
  }
  return "([a-z_]+::)*(" + names + ")::";
}

}  // namespace

TEST_CASE("programs choose the device first: it is what they load models onto, and what is seeded") {
  // transformer/runtime/cuda.h says why. That no program seeds before it chooses, apps/common/program.cpp
  // sees.
  const std::regex own_seed(R"re(\bmanual_seed\()re");
  const std::regex own_device(R"re(\b(load_model|EncoderDecoder|TextTask)\b[^;]*\btorch::k(CPU|CUDA)\b)re");
  CHECK(std::regex_search("load_model(given->model, torch::kCPU);", own_device));
  int seeding = 0, loading = 0;
  for (const auto* folder : {"transformer", "apps"}) {
    for (const auto& file : sources_in(project / folder)) {
      const auto text = contents(file);
      INFO(file.string());
      CHECK(std::regex_search(text, own_seed) == (file.filename() == "cuda.cpp"));
      CHECK_FALSE(std::regex_search(text, own_device));
      if (text.find("seed_generators(") != std::string::npos) ++seeding;
      if (text.find("load_model(") != std::string::npos) ++loading;
    }
  }
  CHECK(seeding > 3);
  CHECK(loading > 5);
}

TEST_CASE("a switch over a choice lists its values: it has no default, in which a new one would hide") {
  const auto choice = choices_as_pattern();
  for (const auto* name : {"Positions", "Tie", "Schedule", "BestBy", "LengthPenalty", "Candidates"}) {
    INFO(choice);
    CHECK(choice.find(name) != std::string::npos);
  }
  const std::regex case_of_choice("\\bcase " + choice);
  const std::regex fallback(R"re(^\s*default\s*:)re");
  CHECK(std::regex_search("  case search::LengthPenalty::gnmt:", case_of_choice));
  for (const auto* folder : {"transformer", "apps"}) {
    for (const auto& file : sources_in(project / folder)) {
      INFO(file.string());
      std::ifstream text(file);
      bool chooses = false, falls_back = false;
      for (std::string line; std::getline(text, line);) {
        falls_back = falls_back || std::regex_search(line, fallback);
        chooses = chooses || std::regex_search(line, case_of_choice);
      }
      CHECK_FALSE((chooses && falls_back));
    }
  }
}
