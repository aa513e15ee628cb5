#include "transformer/data/word_encoder.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "transformer/base/blank_mark.h"
#include "transformer/data/word_by_word.h"

namespace transformer::data {
namespace {

constexpr std::size_t kFewestPlaces = 1024;
constexpr std::size_t kLongestWord = 256;  // bytes
constexpr std::string_view kSentinel = " a";

std::uint64_t hash_of(std::string_view word) {
  std::uint64_t hash = word.size();
  const auto mix = [&](std::uint64_t bytes) {
    hash = (hash ^ bytes) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 32U;
  };
  std::uint64_t bytes = 0;
  for (; word.size() >= 8; word.remove_prefix(8)) {
    std::memcpy(&bytes, word.data(), 8);
    mix(bytes);
  }
  bytes = 0;
  for (const char letter : word) bytes = bytes << 8U | static_cast<unsigned char>(letter);
  mix(bytes);
  return hash;
}

}  // namespace

WordEncoder::WordEncoder(const Tokenizer& tokenizer, std::size_t memory)
    : tokenizer_(&tokenizer), memory_(memory) {
  if (tokenizer.has_vocabulary() || tokenizer.other_kind() != nullptr ||
      !encodes_word_by_word(tokenizer.serialized()))
    return;
  sentinel_ = tokenizer.encode(kSentinel);
  blank_ = tokenizer.id_of(kBlankMark);
}

const std::vector<std::int32_t>& WordEncoder::encode(std::string_view line, std::size_t most) {
  result_.clear();
  if (!remembers() || line.size() > kEncodedAtOnce || !encode_words(line)) {
    result_ = tokenizer_->encode(line, most);
  }
  return result_;
}

/// False for a line that must be encoded as a whole.
bool WordEncoder::encode_words(std::string_view line) {
  make_room(line.size() / 2 + 1);
  while (!line.empty()) {
    const auto end = std::min(line.find(' '), line.size());
    if (end > kLongestWord) return false;
    if (end > 0) {
      const Word& word = find(line.substr(0, end));
      if (!word.alone) return false;
      const auto first = ids_.begin() + word.ids;
      result_.insert(result_.end(), first, first + word.id_count);
    }
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return true;
}

const WordEncoder::Word& WordEncoder::find(std::string_view word) {
  const auto hash = hash_of(word);
  const auto mask = words_.size() - 1;
  for (auto place = hash & mask;; place = (place + 1) & mask) {
    auto& there = words_[place];
    if (there.letter_count == 0) {
      learn(there, word, hash);
      return there;
    }
    if (there.hash == hash && there.letter_count == word.size() &&
        std::memcmp(letters_.data() + there.letters, word.data(), word.size()) == 0) {
      return there;
    }
  }
}

/// Encodes the word with a sentinel behind it; the ids before the sentinel's are the word's. A word that
/// normalises to one with blank marks at its end must not be looked up, because SentencePiece drops those
/// marks only at the end of a line. Its last id is then that of the mark alone, because pieces have the mark
/// only in front.
void WordEncoder::learn(Word& place, std::string_view word, std::uint64_t hash) {
  std::string text(word);
  const auto all = tokenizer_->encode(text.append(kSentinel));
  const auto own = std::span(all).first(all.size() - std::min(all.size(), sentinel_.size()));
  place = {.hash = hash,
           .letters = static_cast<std::uint32_t>(letters_.size()),
           .ids = static_cast<std::uint32_t>(ids_.size()),
           .letter_count = static_cast<std::uint16_t>(word.size()),
           .id_count = static_cast<std::uint16_t>(own.size()),
           .alone = std::ranges::equal(std::span(all).subspan(own.size()), sentinel_) &&
                    (own.empty() || own.back() != blank_)};
  letters_.insert(letters_.end(), word.begin(), word.end());
  ids_.insert(ids_.end(), own.begin(), own.end());
  ++taken_;
}

/// Makes places for so many more words, or forgets those that there are.
void WordEncoder::make_room(std::size_t words) {
  const auto used = words_.size() * sizeof(Word) + letters_.size() + ids_.size() * sizeof(std::int32_t);
  const bool small = 2 * (taken_ + words) > words_.size();
  if (used + (small ? words_.size() * sizeof(Word) : 0) > memory_) {
    std::ranges::fill(words_, Word{});
    letters_.clear();
    ids_.clear();
    taken_ = 0;
  }
  auto places = std::max(words_.size(), kFewestPlaces);
  while (2 * (taken_ + words) > places) places *= 2;
  if (places == words_.size()) return;
  std::vector<Word> old(places);
  old.swap(words_);
  const auto mask = places - 1;
  for (const auto& word : old) {
    if (word.letter_count == 0) continue;
    auto place = word.hash & mask;
    while (words_[place].letter_count > 0) place = (place + 1) & mask;
    words_[place] = word;
  }
}

}  // namespace transformer::data
