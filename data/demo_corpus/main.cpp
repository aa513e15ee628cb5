// transformer-demo-corpus: writes the demo corpus, and the baseline that a model has to beat.
#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "apps/common/plain_program.h"
#include "data/demo_corpus/corpus.h"
#include "data/demo_corpus/nearest.h"
#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/output_place.h"
#include "transformer/base/text_file.h"

namespace {

using namespace transformer;
namespace fs = std::filesystem;

constexpr auto kAnySize = std::numeric_limits<std::uintmax_t>::max();

using Files = std::map<fs::path, std::string>;

/// The gold alignments of a split, and what its pronouns refer to.
void add_gold(Files& files, const fs::path& stem, const std::vector<demo::Example>& examples) {
  const auto add = [&](const char* ending, const std::string& line) {
    files[stem.string() + ending] += line + "\n";
  };
  for (const auto& [text, combinations, names] : examples) {
    add(".alignment", demo::pharaoh(text.links));
    add(".antecedents.en", demo::pharaoh(text.en_references, false));
    add(".antecedents.de", demo::pharaoh(text.de_references, false));
    add(".relatives.en", demo::pharaoh(text.en_references, true));
    add(".relatives.de", demo::pharaoh(text.de_references, true));
  }
}

void add_split(Files& files, const fs::path& stem, const std::vector<demo::Example>& examples) {
  std::string english, german, trees;
  for (const auto& example : examples) {
    english += example.text.en + "\n";
    german += example.text.de + "\n";
    trees += example.text.en_tree + "\n";
  }
  files[stem.string() + ".trees"] = std::move(trees);
  files[stem.string() + ".en"] = std::move(english);
  files[stem.string() + ".de"] = std::move(german);
}

/// All of them or none: what is there and says otherwise is somebody's.
void write(const Files& files, bool overwrite) {
  for (const auto& [file, text] : files) check_output_file(file, {});
  for (const auto& [file, text] : files)
    if (!overwrite && fs::exists(file) && read_file(file, kAnySize) != text)
      throw InputError(
          fmt::format("{}: expected nothing or the same text, found another file; --overwrite replaces it",
                      file.string()));
  for (const auto& [file, text] : files) write_file_atomically(followed(file), text);
}

double percent(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

void print(const demo::Corpus& corpus, const fs::path& output) {
  const demo::Statistics s = demo::statistics(corpus);
  fmt::print("folder            {}\n", output.string());
  fmt::print("pairs             train {}, dev {}, test {}\n", corpus.train.size(), corpus.dev.size(),
             corpus.test.size());
  fmt::print("words a sentence  English {:.1f}, German {:.1f}\n", s.english_words, s.german_words);
  fmt::print("surface forms     English {} ({} of them names), German {} ({} of them names)\n",
             s.english_forms, s.english_names, s.german_forms, s.german_names);
  fmt::print(
      "unseen            the last {} lines of test; there {:.1f} % of the word combinations are not in "
      "train, in all of test {:.1f} %\n",
      corpus.unseen, percent(s.tenth_unseen, s.tenth_combinations),
      percent(s.test_unseen, s.test_combinations));
  fmt::print("new names         {:.1f} % of the names in test are not in train\n",
             percent(s.test_new_names, s.test_names));
}

void generate(const demo::CorpusOptions& options, const fs::path& output, bool overwrite) {
  std::error_code failed;
  fs::create_directories(output, failed);
  if (failed)
    throw InputError(fmt::format("{}: cannot make this folder: {}", output.string(), failed.message()));
  const demo::Corpus corpus = demo::make_corpus(options);
  Files files;
  add_split(files, output / "train", corpus.train);
  add_split(files, output / "dev", corpus.dev);
  add_split(files, output / "test", corpus.test);
  add_gold(files, output / "dev", corpus.dev);
  add_gold(files, output / "test", corpus.test);
  std::string lines;
  for (std::size_t i = corpus.test.size() - corpus.unseen; i < corpus.test.size(); ++i) {
    lines += fmt::format("{}\n", i + 1);
  }
  files[output / "test.unseen"] = lines;
  write(files, overwrite);
  print(corpus, output);
}

void write_nearest(const fs::path& folder, const fs::path& hypothesis, bool overwrite) {
  const auto english = read_lines(folder / "train.en");
  const auto german = read_lines(folder / "train.de");
  if (english.empty() || english.size() != german.size()) {
    throw InputError(
        fmt::format("{}: train.en and train.de need as many lines, at least one; found {} and {}",
                    folder.string(), english.size(), german.size()));
  }
  std::string text;
  for (const std::size_t i : demo::nearest_sentences(english, read_lines(folder / "test.en"))) {
    text += german[i] + "\n";
  }
  write({{hypothesis, text}}, overwrite);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Writes the demo corpus: English-German sentence pairs from a synchronous grammar.",
               "transformer-demo-corpus");
  demo::CorpusOptions options;
  std::string output;
  bool nearest = false, overwrite = false;
  // As numbers: "-5" would wrap around.
  const auto up_to = [](double most) { return CLI::Range(0.0, most).description(""); };
  const auto size = up_to(1e7), seed = up_to(1e18);
  app.add_option("--output", output,
                 "Folder for train.en, train.de, train.trees (of the English), dev.en, …, test.unseen, and "
                 "the gold alignments "
                 "and antecedents")
      ->required();
  app.add_option("--seed", options.seed, "Equal seeds give equal files")->check(seed)->capture_default_str();
  app.add_option("--train", options.train, "Pairs for training")->check(size)->capture_default_str();
  app.add_option("--dev", options.dev, "Pairs for development")->check(size)->capture_default_str();
  app.add_option("--test", options.test, "Pairs for testing")->check(size)->capture_default_str();
  app.add_flag("--overwrite", overwrite, "Replace files of these names that say otherwise");
  app.add_flag("--nearest", nearest,
               "Instead of a corpus, write test.nearest.de into the folder: for each sentence of test.en the "
               "translation of the training sentence nearest to it");
  apps::run_plain_program(app, argc, argv, [&] {
    if (nearest) {
      write_nearest(output, fs::path(output) / "test.nearest.de", overwrite);
    } else {
      generate(options, output, overwrite);
    }
    return apps::kDone;
  });
}
