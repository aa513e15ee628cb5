// BPE-dropout (Provilkov, Emelianenko and Voita 2020): a sentence's words cut into other pieces each time
// that it is trained on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transformer/data/tokenizer.h"

namespace transformer::data {

/// Byte-pair encoding that skips each merge with some probability, as SentencePiece draws (SampleEncode).
/// Merges are tried by their ranks, and from left to right among equals. A skipped merge is not tried again
/// unless one of its two symbols has grown since. The paper draws again for all merges each time that it
/// applies one. So at the same probability it splits words about half as often.
///
/// It starts from the ids of a sentence, not from its text: from the characters of their pieces. Ids that no
/// merge takes or makes stay as they are: unknown text, bytes, pieces that users defined. The result spells
/// the same text. It is a pure function of ids and seed, on every machine.
class BpeDropout {
 public:
  /// Memory that draws need, for one thread.
  class Workspace;

  /// `dropout` is the probability, 0 … 1 but not 1; with 0, ids that the model has made stay as they are.
  /// Throws InputError, naming data.bpe_dropout, for a model that is no byte-pair encoding, whose pieces a
  /// vocabulary numbers, or that has pieces which are in no use or whose characters are no pieces.
  BpeDropout(const Tokenizer& tokenizer, double dropout);

  /// Valid until the workspace's next use. Throws std::out_of_range for an id outside the vocabulary.
  std::span<const std::int32_t> draw(std::span<const std::int32_t> ids, std::uint64_t seed,
                                     Workspace& workspace) const;

 private:
  /// The merge of two neighbouring symbols: an entry of a hash table, free if `merged` is 0.
  struct Merge {
    std::int32_t left = 0, right = 0;
    std::int32_t merged = 0;
    std::int32_t rank = 0;
  };

  const Merge* find(std::int32_t left, std::int32_t right) const;
  void add(const Merge& merge);
  void push_merge(Workspace& workspace, std::int32_t left, std::int32_t right) const;

  std::vector<std::int32_t> characters_;  ///< of all pieces, as ids
  std::vector<std::uint32_t> first_of_;   ///< where those of each piece begin, and where the last end
  std::vector<Merge> merges_;             ///< open addressing; 2^n places, at most half of them taken
  std::uint64_t left_out_below_ = 0;      ///< of 2^64: what a draw is compared with
};

class BpeDropout::Workspace {
 private:
  friend class BpeDropout;

  /// A place of the sentence. What was merged into its left neighbour has no id.
  struct Symbol {
    std::int32_t id = 0;
    std::int32_t before = 0, next = 0;  ///< symbols; -1 for none
  };
  struct Candidate {
    std::uint64_t order = 0;  ///< the smallest comes first: rank, then place
    std::int32_t right = 0;   ///< symbol
    std::int32_t left_id = 0, right_id = 0, merged = 0;
  };

  std::vector<Symbol> symbols_;
  std::vector<Candidate> heap_;
  std::vector<std::int32_t> drawn_;
};

}  // namespace transformer::data
