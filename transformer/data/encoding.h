// A split on its way from text to ids.
#pragma once

#include <cstdint>
#include <span>
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

/// Some examples in a row, which are read first and encoded then. A pair has two texts, its source and its
/// target; a document has one.
struct ExampleBlock {
  std::vector<Lines> texts = {};
  std::vector<Links> links = {};       ///< of each example's words, where the reader reads them
  std::vector<Sentences> ids = {};     ///< what is kept of them
  std::vector<std::size_t> kept = {};  ///< the examples that are, from 0
  FilterCounts examples = {};
  std::vector<std::int64_t> shortened = {};  ///< examples that were cut, from 0

  /// Reads some examples, by number and bytes; false at the end.
  bool read(ExampleReader& reader);
};

/// Encodes the examples of one split after another, for one thread.
class ExampleEncoder {
 public:
  /// There is a tokenizer for each text, and it must outlive this. Words are remembered in about `memory`
  /// bytes. Of labelled texts the first may have parts (labelled_texts.h); of answers the second becomes
  /// their place (answers.h), and of trees it is linearised.
  ExampleEncoder(const std::vector<const Tokenizer*>& tokenizers, std::size_t memory,
                 const DataOptions& options);

  /// Keeps the examples that pass the filters; with options.longer: cut, each text up to options.max_tokens.
  void encode_and_filter(ExampleBlock& block, const DataOptions& options);

  /// Keeps all examples, each text up to `most` tokens.
  void encode_and_cut(ExampleBlock& block, std::int64_t most);

 private:
  using Ids = std::span<const std::int32_t>;

  /// Encodes each text of an example, up to `most` tokens, or one more where it is longer.
  void encode(const ExampleBlock& block, std::size_t example, std::size_t most);
  /// What is encoded of a text.
  std::string as_encoded(const ExampleBlock& block, std::size_t side, std::size_t example) const;
  /// Appends them, each up to `most` tokens.
  void keep(ExampleBlock& block, std::size_t example, std::size_t most);

  std::vector<WordEncoder> encoders_;
  std::vector<Ids> ids_;  // of the example that is encoded
  bool has_parts_, has_answers_, has_trees_, tree_tags_;
  std::vector<std::int32_t> parts_;  // of the first text, where it has several
};

}  // namespace transformer::data
