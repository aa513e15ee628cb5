// Documents as one stream of tokens, cut into blocks of a fixed length: what language models are trained on.
//
// In the stream each document's tokens are followed by kEos. A block is predicted token by token, each from
// those before it in the block and the one before the block, which is kBos before the first document. So all
// blocks together ask for each token of the stream once, kEos included, as the documents one by one do.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "transformer/base/special_tokens.h"
#include "transformer/data/dataset.h"
#include "transformer/data/examples.h"
#include "transformer/data/options.h"

namespace transformer::data {

/// The token in front of a language model's texts. In a stream each text begins behind the end of another.
inline std::int32_t begin_of_texts(const DataOptions& options) {
  return options.block > 0 ? kEos : kBos;
}

class Blocks : public ExampleSource {
 public:
  /// The data set, which has one text, is used as long as this lives. `first` is the length of the first
  /// block, 0 … length - 1, where 0 stands for a whole one; the last block has what is left. Throws
  /// std::invalid_argument for other lengths.
  Blocks(const Dataset& data, std::int64_t length, std::int64_t first = 0);

  std::int64_t size() const override { return size_; }
  Tokens<std::int64_t> length(std::int64_t i) const override;
  Batch make_batch(std::span<const std::int64_t> indices) const override;

 private:
  /// The place in the stream where block i begins; for i = size() the end of the stream.
  std::int64_t begin_of(std::int64_t i) const;
  /// The place in the stream where a document begins, and the document at a place.
  std::int64_t begin_of_document(std::int64_t document) const;
  std::int64_t document_at(std::int64_t place) const;
  void append(std::int64_t block, Batch& batch) const;

  const Dataset& data_;
  std::int64_t length_, first_, stream_, size_;
};

/// The examples of an evaluation: those of the data set, or, with a length, its blocks.
std::shared_ptr<const ExampleSource> examples_of(const Dataset& data, std::int64_t block);

/// Those of an epoch of training, in which blocks begin elsewhere than in the others: a pure function of all
/// of these.
std::shared_ptr<const ExampleSource> examples_of(const Dataset& data, std::int64_t block, std::uint64_t seed,
                                                 std::int64_t epoch);

/// Tokens of the stream: those of the documents, and an end for each.
std::int64_t stream_length(const Dataset& data);

}  // namespace transformer::data
