#include "transformer/search/tree.h"

#include <algorithm>
#include <ranges>

namespace transformer::search {
namespace {

std::vector<std::size_t> finished_nodes(const SearchTree& tree) {
  std::vector<std::size_t> nodes;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    switch (tree[i].fate) {
      case Fate::finished:
        nodes.push_back(i);
        break;
      case Fate::open:
      case Fate::crowded_out:
      case Fate::passed_over:
      case Fate::given_up:
        break;
    }
  }
  return nodes;
}

}  // namespace

TreeRecorder::TreeRecorder(std::size_t sentences)
    : trees_(sentences, SearchTree(1)), open_(sentences, std::vector<std::int32_t>{0}) {}

void TreeRecorder::operator()(const ObservedStep& step) {
  auto& tree = trees_.at(step.sentence);
  const auto before = std::move(open_.at(step.sentence));
  auto& open = open_[step.sentence];
  open.clear();
  for (const auto& seen : step.considered) {
    switch (seen.fate) {
      case Fate::open:
        open.push_back(static_cast<std::int32_t>(tree.size()));
        break;
      case Fate::finished:
      case Fate::crowded_out:
      case Fate::passed_over:
      case Fate::given_up:
        break;
    }
    tree.push_back({before.at(seen.from), seen.token, step.length + 1, seen.log_probability, seen.total,
                    seen.fate, seen.penalty, seen.score});
  }
}

std::vector<std::int32_t> ids_of(const SearchTree& tree, std::size_t node) {
  std::vector<std::int32_t> ids;
  for (auto at = node; tree.at(at).parent >= 0; at = static_cast<std::size_t>(tree[at].parent))
    if (tree[at].token != kEos) ids.push_back(tree[at].token);
  std::ranges::reverse(ids);
  return ids;
}

std::vector<std::size_t> finished_by_score(const SearchTree& tree) {
  auto nodes = finished_nodes(tree);
  std::ranges::stable_sort(nodes, std::ranges::greater(), [&](auto node) { return tree[node].score; });
  return nodes;
}

std::vector<std::size_t> finished_by_probability(const SearchTree& tree) {
  auto nodes = finished_nodes(tree);
  std::ranges::stable_sort(nodes, std::ranges::greater(), [&](auto node) { return tree[node].total; });
  return nodes;
}

}  // namespace transformer::search
