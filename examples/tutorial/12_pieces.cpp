// Page 12: how byte pairs become a vocabulary (section 5.1).
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "examples/tutorial/page.h"
#include "transformer/data/tokenizer.h"
#include "transformer/data/tokenizer_training.h"

using namespace transformer;

namespace {

// --- words
/// A word as its pieces, and how often the text has it. Sennrich et al. (2016) take these four.
struct Word {
  std::vector<std::string> pieces;
  int count;
};

std::vector<Word> words() {
  return {{{"_", "l", "o", "w"}, 5},
          {{"_", "l", "o", "w", "e", "r"}, 2},
          {{"_", "n", "e", "w", "e", "s", "t"}, 6},
          {{"_", "w", "i", "d", "e", "s", "t"}, 3}};
}
// ---

using Pair = std::pair<std::string, std::string>;

// --- count
/// How often two pieces stand beside each other.
std::map<Pair, int> count_pairs(const std::vector<Word>& text) {
  std::map<Pair, int> pairs;
  for (const auto& [pieces, count] : text)
    for (std::size_t i = 0; i + 1 < pieces.size(); ++i) pairs[{pieces[i], pieces[i + 1]}] += count;
  return pairs;
}
// ---

// --- merge
/// Makes one piece of the two, wherever they stand beside each other.
void merge(std::vector<std::string>& pieces, const Pair& pair) {
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
    if (pieces[i] != pair.first || pieces[i + 1] != pair.second) continue;
    pieces[i] += pieces[i + 1];
    pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
}

/// The most frequent pair; of equally frequent ones the first in the order of letters.
Pair most_frequent(const std::map<Pair, int>& pairs) {
  auto best = pairs.begin();
  for (auto pair = pairs.begin(); pair != pairs.end(); ++pair)
    if (pair->second > best->second) best = pair;
  return best->first;
}
// ---

void print(const std::vector<std::string>& pieces) {
  for (const auto& piece : pieces) std::printf("%s%s", &piece == &pieces.front() ? "" : " ", piece.c_str());
  std::printf("\n");
}

}  // namespace

void tutorial::pieces() {
  section("letters");
  auto text = words();
  for (const auto& word : text) print(word.pieces);

  section("pairs");
  for (const auto& [pair, count] : count_pairs(text))
    if (count >= 7) std::printf("%s %s: %d\n", pair.first.c_str(), pair.second.c_str(), count);

  section("merges");
  std::vector<Pair> merges;
  for (int step = 0; step < 8; ++step) {
    const auto pairs = count_pairs(text);
    merges.push_back(most_frequent(pairs));
    for (auto& word : text) merge(word.pieces, merges.back());
    const auto& [first, second] = merges.back();
    std::printf("%s + %s, %d times\n", first.c_str(), second.c_str(), pairs.at(merges.back()));
  }

  section("after");
  for (const auto& word : text) print(word.pieces);

  section("unseen");
  std::vector<std::string> unseen = {"_", "l", "o", "w", "e", "s", "t"};
  for (const auto& pair : merges) merge(unseen, pair);
  print(unseen);

  section("sentencepiece");
  const auto file =
      std::filesystem::temp_directory_path() / ("tutorial-" + std::to_string(::getpid()) + ".model");
  std::size_t next = 0;
  data::train_tokenizer_on(
      [&](std::string& line) {
        constexpr const char* lines[] = {"low low low low low", "lower lower",
                                         "newest newest newest newest newest newest", "widest widest widest"};
        if (next == std::size(lines)) return false;
        line = lines[next++];
        return true;
      },
      {.vocabulary = 4 + 8 + 11}, file);  // special tokens, merges, and what is left of the letters
  const data::Tokenizer tokenizer(file);
  print(tokenizer.pieces("lowest"));
  print(tokenizer.pieces("newer"));
  std::filesystem::remove(file);
}
