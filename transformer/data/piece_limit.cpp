#include "transformer/data/piece_limit.h"

#include <algorithm>

#include "transformer/data/tokenizer_training.h"

namespace transformer::data {
namespace {

/// Bytes of the character that begins with `byte`.
std::size_t length_of(char byte) {
  const auto first = static_cast<unsigned char>(byte);
  return first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

/// How many characters normalization (NFKC, with or without case folding) makes of one at most.
std::int64_t most_of(std::size_t length) {
  return length == 1 ? 1 : length == 2 ? 4 : 18;
}

/// Removes the first word and the blanks around it from `line`, and returns it.
std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const auto word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

}  // namespace

void PieceLimit::add(std::string_view line) {
  if (line.size() > kLongestTrainingLine) return;
  while (!reached()) {
    const auto word = take_word(line);
    if (word.empty()) return;
    if (!words_.emplace(word).second) continue;
    for (std::size_t i = 0; i < word.size();) {
      const auto character = word.substr(i, length_of(word[i]));
      const auto most = most_of(character.size());
      pieces_ += 3 * most + (characters_.emplace(character).second ? most : 0);
      i += character.size();
    }
  }
}

}  // namespace transformer::data
