// A search as a tree: every continuation that it looked at, and what became of it.
#pragma once

#include "transformer/base/special_tokens.h"
#include "transformer/search/hypothesis.h"
#include "transformer/search/observer.h"

namespace transformer::search {

struct TreeNode {
  std::int32_t parent = -1;  ///< its place among the nodes; -1: this is the root, the empty hypothesis
  std::int32_t token = kBos;
  std::int64_t length = 0;       ///< tokens from the root to this one, an end token included
  float log_probability = 0.0F;  ///< of the token alone
  float total = 0.0F;            ///< of the hypothesis
  Fate fate = Fate::open;
  double penalty = 1.0, score = 0.0;  ///< of what is finished
};

/// The root first, each node behind its parent, and a parent's children with the most probable first.
using SearchTree = std::vector<TreeNode>;

/// An Observer that keeps a tree of each sentence.
class TreeRecorder {
 public:
  explicit TreeRecorder(std::size_t sentences);

  void operator()(const ObservedStep& step);

  /// Of a sentence without a step it is the root alone.
  const std::vector<SearchTree>& trees() const { return trees_; }

 private:
  std::vector<SearchTree> trees_;
  std::vector<std::vector<std::int32_t>> open_;  ///< of each sentence: nodes, as the next step numbers them
};

/// The tokens from the root to a node, without begin and end.
std::vector<std::int32_t> ids_of(const SearchTree& tree, std::size_t node);

/// The nodes that are finished, the best score first; of equal ones the earlier.
std::vector<std::size_t> finished_by_score(const SearchTree& tree);

/// The same, the most probable first: as without a length penalty.
std::vector<std::size_t> finished_by_probability(const SearchTree& tree);

}  // namespace transformer::search
