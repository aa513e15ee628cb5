// transformer-demo-corpus: writes the demo corpus, and the baseline that a model has to beat.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>

#include "data/corpus.h"
#include "data/nearest.h"
#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/text_file.h"

namespace {

using namespace transformer;
namespace fs = std::filesystem;

void write_split(const fs::path& stem, const std::vector<demo::Example>& examples) {
  std::string english, german;
  for (const auto& example : examples) {
    english += example.text.en + "\n";
    german += example.text.de + "\n";
  }
  write_file_atomically(stem.string() + ".en", english);
  write_file_atomically(stem.string() + ".de", german);
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
      "train, "
      "in all of test {:.1f} %\n",
      corpus.unseen, percent(s.tenth_unseen, s.tenth_combinations),
      percent(s.test_unseen, s.test_combinations));
  fmt::print("new names         {:.1f} % of the names in test are not in train\n",
             percent(s.test_new_names, s.test_names));
}

void generate(const demo::CorpusOptions& options, const fs::path& output) {
  std::error_code failed;
  fs::create_directories(output, failed);
  if (failed)
    throw InputError(fmt::format("{}: cannot make this folder: {}", output.string(), failed.message()));
  const demo::Corpus corpus = demo::make_corpus(options);
  write_split(output / "train", corpus.train);
  write_split(output / "dev", corpus.dev);
  write_split(output / "test", corpus.test);
  std::string lines;
  for (std::size_t i = corpus.test.size() - corpus.unseen; i < corpus.test.size(); ++i) {
    lines += fmt::format("{}\n", i + 1);
  }
  write_file_atomically(output / "test.unseen", lines);
  print(corpus, output);
}

void write_nearest(const fs::path& folder, const fs::path& hypothesis) {
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
  write_file_atomically(hypothesis, text);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Writes the demo corpus: English-German sentence pairs from a synchronous grammar.");
  demo::CorpusOptions options;
  std::string output;
  bool nearest = false;
  const CLI::Range size(0.0, 1e7), seed(0.0, 1e18);  // as numbers: "-5" would wrap around
  app.add_option("--output", output, "Folder for train.en, train.de, dev.en, … and test.unseen")->required();
  app.add_option("--seed", options.seed, "Equal seeds give equal files")->check(seed)->capture_default_str();
  app.add_option("--train", options.train, "Pairs for training")->check(size)->capture_default_str();
  app.add_option("--dev", options.dev, "Pairs for development")->check(size)->capture_default_str();
  app.add_option("--test", options.test, "Pairs for testing")->check(size)->capture_default_str();
  app.add_flag("--nearest", nearest,
               "Instead of a corpus, write test.nearest.de into the folder: for each sentence of test.en the "
               "translation of the training sentence nearest to it");
  try {
    app.parse(argc, argv);
    if (nearest) {
      write_nearest(output, fs::path(output) / "test.nearest.de");
    } else {
      generate(options, output);
    }
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const InputError& error) {
    fmt::print(stderr, "transformer-demo-corpus: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "transformer-demo-corpus: {}\n", error.what());
    return 1;
  }
  return 0;
}
