// How raw parallel text becomes a data set.
#pragma once

#include <cstdint>
#include <string>

namespace transformer::data {

/// Source tokens of a sentence, without its end, beyond which the rest of it is not translated.
inline constexpr std::int64_t kLongestSource = 1024;

/// Of a vocabulary: the special ones, and some to write with.
inline constexpr std::int64_t kFewestPieces = 8;

/// How many times one side of a pair may be as long as the other; 0: any number.
constexpr bool is_ratio(double ratio) {
  return ratio == 0 || ratio >= 1;
}

struct DataOptions {
  std::string source = "en";  ///< ending of the source side's files
  std::string target = "de";
  std::string train = {};  ///< path without ending: `train.en` and `train.de` lie beside each other
  std::string dev = {};
  std::string test = {};  ///< may be empty
  std::int64_t vocabulary = 37000;
  bool shared_vocabulary = true;
  std::int64_t max_tokens = 256;           ///< longer training sentences are dropped, end token not counted
  double max_ratio = 0;                    ///< so are pairs with one side this many times longer; 0: no limit
  std::string normalization = "nmt_nfkc";  ///< SentencePiece's rule name
  bool byte_fallback = false;
  std::string tokenizer = {};  ///< an existing SentencePiece model to use instead of training one
  std::string prepared = {};   ///< folder of the prepared data set
  double bpe_dropout = 0;      ///< of merges, drawn anew in each epoch of a training (bpe_dropout.h)

  bool operator==(const DataOptions&) const = default;
};

}  // namespace transformer::data
