// Texts of which some tokens are masked and asked for (Devlin et al. 2019): what encoders learn from.
//
// A text is read as kBos, its tokens, kEos, or a block of a stream behind kBos. Of its n tokens besides the
// special ones max(1, ⌊share · n⌉) are chosen: those with the smallest hashes of seed, example and position.
// Of the chosen tokens 80 % become the mask, 10 % any token, and 10 % stay. All are to be predicted.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "transformer/data/examples.h"
#include "transformer/data/tokenizer.h"

namespace transformer::data {

/// A token that is to be predicted.
struct MaskedToken {
  std::int64_t place;   ///< in the text that is read, from 0
  std::int32_t hidden;  ///< what it is
  std::int32_t shown;   ///< what is read in its place

  bool operator==(const MaskedToken&) const = default;
};

/// How tokens are masked.
struct Masking {
  double share = 0.15;
  std::int32_t mask = 0;
  std::int64_t vocabulary = 0;
  /// By id, whether it begins a word, where whole words are chosen: in the order of their first tokens'
  /// hashes each word that still fits, or the first word if none does. Empty: tokens are chosen.
  std::vector<bool> begins = {};

  /// The masked tokens of a text as it is read, by their places. The seed is that of epoch and example.
  std::vector<MaskedToken> draw(std::span<const std::int64_t> text, std::uint64_t seed) const;
};

/// The texts of an epoch, or of an evaluation. In a batch `source` is what is read, `target_output` are the
/// hidden tokens, and `target_input` the places of these in `source`, from 0.
class MaskedTexts : public ExampleSource {
 public:
  /// texts: of one side.
  MaskedTexts(std::shared_ptr<const ExampleSource> texts, Masking masking, std::uint64_t seed);

  std::int64_t size() const override { return texts_->size(); }
  /// Of the text as it is read, and of what is predicted.
  Tokens<std::int64_t> length(std::int64_t i) const override;
  Batch make_batch(std::span<const std::int64_t> indices) const override;

 private:
  std::vector<std::int64_t> text(std::int64_t i) const;

  std::shared_ptr<const ExampleSource> texts_;
  Masking masking_;
  std::uint64_t seed_;
  std::vector<std::int32_t> predicted_;  // by example
};

}  // namespace transformer::data
