// A split on its way from text to ids.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "transformer/data/corpus.h"
#include "transformer/data/dataset.h"
#include "transformer/data/word_encoder.h"

namespace transformer::data {

/// Some lines of a text, without their ends.
class Lines {
 public:
  void add(std::string_view line);
  std::size_t size() const { return ends_.size(); }
  std::size_t bytes() const { return text_.size(); }
  std::string_view operator[](std::size_t i) const;

 private:
  std::string text_;
  std::vector<std::size_t> ends_;
};

/// Some pairs in a row. Read first, then encoded.
struct PairBlock {
  Lines source_text;
  Lines target_text;
  Sentences source;  ///< what is kept of them
  Sentences target;
  FilterCounts pairs;
  std::vector<std::int64_t> shortened = {};  ///< pairs that were cut, from 0

  /// Reads some pairs, by number and bytes; false at the end.
  bool read(PairReader& reader);
};

/// Encodes the pairs of one split after another, for one thread.
class PairEncoder {
 public:
  /// Training pairs are filtered, and perhaps cut, by `options`, others cut to `most` tokens. The tokenizers
  /// must outlive it. Remembers words in about `memory` bytes.
  PairEncoder(const Tokenizer& source, const Tokenizer& target, std::size_t memory)
      : source_(source, memory / 2), target_(target, memory / 2) {}

  /// Keeps the pairs that pass the filters; with options.longer: cut, each side up to options.max_tokens.
  void encode_and_filter(PairBlock& block, const DataOptions& options);

  /// Keeps all pairs, each side up to `most` tokens.
  void encode_and_cut(PairBlock& block, std::int64_t most);

 private:
  WordEncoder source_;
  WordEncoder target_;
};

}  // namespace transformer::data
