// A search among linearised trees of so many words alone (trees/linearised_tree.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace transformer::search {

/// What a token is in a linearised tree.
struct TreePart {
  enum class Kind : std::uint8_t {
    other,   ///< in no tree
    tag,     ///< of a word
    begins,  ///< a constituent
    ends,
  };
  Kind kind = Kind::other;
  std::int32_t label = 0;  ///< of a constituent; beginnings and ends of one label have the same

  bool operator==(const TreePart&) const = default;
};

/// The outputs that a search may find.
struct TreeOutputs {
  std::span<const TreePart> parts = {};      ///< of each token of the vocabulary; empty: all outputs
  std::span<const std::int64_t> words = {};  ///< of each sentence, one at least

  explicit operator bool() const { return !parts.empty(); }
};

/// How far an output is a tree.
class OpenTree {
 public:
  /// words: of the sentence. ids: the output so far; allows() has allowed each.
  OpenTree(std::span<const TreePart> parts, std::int64_t words, std::span<const std::int32_t> ids);

  /// Whether an output that is a tree of the words can go on with this token, or end, for kEos. At least one
  /// token is allowed if `parts` has a tag, and a beginning whose end it has too.
  /// * A tag follows while a word has none, and stands in a constituent. A lone word's may stand alone.
  /// * A constituent begins while a word has no tag. There is one outermost constituent.
  /// * The innermost constituent ends if it holds something, and the outermost one if all words have tags.
  bool allows(std::int32_t token) const;

 private:
  std::span<const TreePart> parts_;
  std::int64_t words_, tags_ = 0;
  bool begun_ = false;
  bool is_empty_ = false;             // the innermost constituent
  std::vector<std::int32_t> labels_;  // of the constituents that are open
};

}  // namespace transformer::search
