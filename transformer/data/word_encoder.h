// A tokenizer that remembers words.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "transformer/data/tokenizer.h"

namespace transformer::data {

/// Encodes lines to exactly the ids of Tokenizer::encode, many times faster. Nearly all words of a text have
/// occurred in it before. If the model encodes each word as if it stood alone (see encodes_word_by_word()),
/// their ids are looked up. Lines and models for which that is not certain go to the tokenizer. For one
/// thread; copy it for another.
class WordEncoder {
 public:
  static constexpr std::size_t kUsualMemory = std::size_t{64} << 20U;

  /// `tokenizer` must outlive the encoder. It remembers words in about `memory` bytes. When these are full,
  /// it forgets all words and starts again.
  explicit WordEncoder(const Tokenizer& tokenizer, std::size_t memory = kUsualMemory);

  /// As Tokenizer::encode; valid until the next call.
  const std::vector<std::int32_t>& encode(std::string_view line,
                                          std::size_t most = std::numeric_limits<std::size_t>::max());

  /// Whether words are looked up at all.
  bool remembers() const { return !sentinel_.empty(); }

 private:
  /// A word's letters and ids within letters_ and ids_, or a free place (no letters).
  struct Word {
    std::uint64_t hash = 0;
    std::uint32_t letters = 0;
    std::uint32_t ids = 0;
    std::uint16_t letter_count = 0;
    std::uint16_t id_count = 0;
    bool alone = false;  ///< whether the line's ids have the word's as they are
  };

  bool encode_words(std::string_view line);
  const Word& find(std::string_view word);
  void learn(Word& place, std::string_view word, std::uint64_t hash);
  void make_room(std::size_t words);

  const Tokenizer* tokenizer_;
  std::size_t memory_;
  std::vector<std::int32_t> sentinel_;  ///< the ids of the word that stands behind each word to be tried
  std::int32_t blank_ = 0;              ///< the id of the mark for a blank
  std::vector<Word> words_;             ///< open addressing; 2^n places, at most half of them taken
  std::size_t taken_ = 0;
  std::vector<char> letters_;
  std::vector<std::int32_t> ids_;
  std::vector<std::int32_t> result_;
};

}  // namespace transformer::data
