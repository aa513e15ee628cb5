// Which pieces of a source a piece of its target is linked to: what a head of attention learns by guidance
// (Garg et al. 2019).
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "transformer/base/word_links.h"
#include "transformer/data/batching.h"
#include "transformer/data/tokenizer.h"

namespace transformer::data {

/// The links of a batch, from places of targets to places of sources. A place of a target is where the piece
/// is predicted. All links of a place have the same share, and their sum is 1.
struct PieceLinks {
  std::vector<std::int64_t> sentences, targets, sources;  ///< of each link, from 0
  std::vector<float> shares;
};

class PieceLinker {
 public:
  virtual ~PieceLinker() = default;

  /// Of sentences that the batch is filled up with there are none.
  virtual PieceLinks links_of(const Batch& batch) const = 0;
};

/// What the pieces of a target's word without links are linked to.
enum class Unlinked {
  nothing,
  end  ///< of the source: it stands for the null word of Brown et al. (1993)
};

/// By links of words: each piece of a target's word is linked to all pieces of the words that its word is
/// linked to. The target's end has no links, nor has a sentence none of whose words has any.
class LinkedWords : public PieceLinker {
 public:
  /// file: a line for each of so many pairs, such as PreparedPaths::train_links(). Throws InputError for
  /// another number of lines, and for what are no links.
  LinkedWords(const std::filesystem::path& file, std::int64_t pairs, const Tokenizer& source,
              const Tokenizer& target, Unlinked unlinked = Unlinked::nothing);

  PieceLinks links_of(const Batch& batch) const override;

 private:
  std::vector<Links> links_;                         // of each pair
  std::vector<bool> source_begins_, target_begins_;  // by id
  Unlinked unlinked_;
};

/// Links of linearised trees to their words, which are the source. Each token is linked to the pieces of the
/// word whose tag is the next one at this place. A tag is linked to its own word, and behind the last tag all
/// tokens are linked to the source's end.
class TreeWords : public PieceLinker {
 public:
  TreeWords(const Tokenizer& words, const Tokenizer& tree_tokens);

  PieceLinks links_of(const Batch& batch) const override;

 private:
  std::vector<bool> begins_;  // by id of the source
  std::vector<bool> is_tag_;  // by id of the target
};

}  // namespace transformer::data
