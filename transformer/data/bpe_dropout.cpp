#include "transformer/data/bpe_dropout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <unordered_map>

#include "transformer/base/error.h"
#include "transformer/base/random.h"
#include "transformer/data/model_message.h"

namespace transformer::data {
namespace {

constexpr std::int32_t kNone = -1;

/// The pieces of a model in the order of their ids, and by their text those that merges take or make.
struct Pieces {
  std::vector<ModelPiece> all;
  std::unordered_map<std::string_view, std::int32_t> mergeable;
  std::vector<std::int32_t> ranks;  ///< by id: 0 for the highest score; equal where scores are
  bool byte_pairs = false;

  explicit Pieces(std::string_view model) {
    for (const auto& field : fields_of(model)) {
      if (field.number == ModelField::pieces) all.push_back(model_piece_of(field.content));
      if (field.number == ModelField::trainer)
        for (const auto& said : fields_of(field.content))
          if (said.number == TrainerField::model_type) byte_pairs = said.value == kBytePairs;
    }
    for (std::size_t id = 0; id < all.size(); ++id)
      if (all[id].type == PieceType::normal) mergeable.emplace(all[id].text, static_cast<std::int32_t>(id));
    rank();
  }

 private:
  void rank() {
    std::vector<float> scores;
    scores.reserve(all.size());
    for (const auto& piece : all) scores.push_back(piece.score);
    std::ranges::sort(scores, std::greater());
    for (const auto& piece : all)
      ranks.push_back(static_cast<std::int32_t>(
          std::ranges::lower_bound(scores, piece.score, std::greater()) - scores.begin()));
  }
};

[[noreturn]] void refuse(const Tokenizer& tokenizer, std::string_view found) {
  throw InputError(
      fmt::format("data.bpe_dropout: {}: expected a byte-pair encoding of SentencePiece's, found {}",
                  tokenizer.path().string(), found));
}

/// Where each character of a text begins, and where the text ends.
std::vector<std::size_t> character_bounds(std::string_view text) {
  std::vector<std::size_t> bounds;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (begins_character(text[i])) bounds.push_back(i);
  bounds.push_back(text.size());
  return bounds;
}

std::size_t place_of(std::int32_t left, std::int32_t right) {
  return splitmix((static_cast<std::uint64_t>(left) << 32U) + static_cast<std::uint64_t>(right));
}

}  // namespace

BpeDropout::BpeDropout(const Tokenizer& tokenizer, double dropout)
    : left_out_below_(static_cast<std::uint64_t>(std::ldexp(dropout, 64))) {
  if (tokenizer.has_vocabulary()) refuse(tokenizer, "one whose pieces another vocabulary numbers");
  if (tokenizer.other_kind() != nullptr) refuse(tokenizer, tokenizer.other_kind());
  const Pieces pieces(tokenizer.serialized());
  if (!pieces.byte_pairs) refuse(tokenizer, "another kind of model");
  std::vector<Merge> merges;
  for (std::size_t id = 0; id < pieces.all.size(); ++id) {
    const auto& [text, score, type] = pieces.all[id];
    const auto own = static_cast<std::int32_t>(id);
    first_of_.push_back(static_cast<std::uint32_t>(characters_.size()));
    if (type == PieceType::unused) refuse(tokenizer, fmt::format("the piece '{}', which is in no use", text));
    if (type != PieceType::normal) {
      characters_.push_back(own);
      continue;
    }
    const auto bounds = character_bounds(text);
    for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
      const auto character = pieces.mergeable.find(text.substr(bounds[i], bounds[i + 1] - bounds[i]));
      if (character == pieces.mergeable.end())
        refuse(tokenizer, fmt::format("the piece '{}' with a character that is none", text));
      characters_.push_back(character->second);
      if (i == 0) continue;
      const auto left = pieces.mergeable.find(text.substr(0, bounds[i])),
                 right = pieces.mergeable.find(text.substr(bounds[i]));
      if (left != pieces.mergeable.end() && right != pieces.mergeable.end())
        merges.push_back({left->second, right->second, own, pieces.ranks[id]});
    }
  }
  first_of_.push_back(static_cast<std::uint32_t>(characters_.size()));
  std::size_t places = 2;
  while (places < 2 * merges.size()) places *= 2;
  merges_.resize(places);
  for (const auto& merge : merges) add(merge);
}

void BpeDropout::add(const Merge& merge) {
  auto place = place_of(merge.left, merge.right) & (merges_.size() - 1);
  while (merges_[place].merged != 0) place = (place + 1) & (merges_.size() - 1);
  merges_[place] = merge;
}

const BpeDropout::Merge* BpeDropout::find(std::int32_t left, std::int32_t right) const {
  for (auto place = place_of(left, right) & (merges_.size() - 1); merges_[place].merged != 0;
       place = (place + 1) & (merges_.size() - 1))
    if (merges_[place].left == left && merges_[place].right == right) return &merges_[place];
  return nullptr;
}

void BpeDropout::push_merge(Workspace& workspace, std::int32_t left, std::int32_t right) const {
  if (left == kNone || right == kNone) return;
  const auto left_id = workspace.symbols_[static_cast<std::size_t>(left)].id,
             right_id = workspace.symbols_[static_cast<std::size_t>(right)].id;
  const auto* merge = find(left_id, right_id);
  if (merge == nullptr) return;
  workspace.heap_.push_back(
      {(static_cast<std::uint64_t>(merge->rank) << 32U) + static_cast<std::uint64_t>(left), right, left_id,
       right_id, merge->merged});
}

std::span<const std::int32_t> BpeDropout::draw(std::span<const std::int32_t> ids, std::uint64_t seed,
                                               Workspace& workspace) const {
  auto& symbols = workspace.symbols_;
  auto& heap = workspace.heap_;
  auto& drawn = workspace.drawn_;
  const auto symbol = [&symbols](std::int32_t i) -> Workspace::Symbol& {
    return symbols[static_cast<std::size_t>(i)];
  };
  symbols.clear();
  heap.clear();
  drawn.clear();
  for (const auto id : ids) {
    if (id < 0 || static_cast<std::size_t>(id) + 1 >= first_of_.size())
      throw std::out_of_range(
          fmt::format("token id {} is outside the vocabulary of {}", id, first_of_.size() - 1));
    for (auto i = first_of_[static_cast<std::size_t>(id)]; i < first_of_[static_cast<std::size_t>(id) + 1];
         ++i) {
      const auto place = static_cast<std::int32_t>(symbols.size());
      symbols.push_back({characters_[i], place - 1, place + 1});
    }
  }
  if (symbols.empty()) return drawn;
  symbols.back().next = kNone;
  for (std::int32_t i = 0; symbol(i).next != kNone; ++i) push_merge(workspace, i, i + 1);

  const auto later = [](const auto& a, const auto& b) { return a.order > b.order; };
  std::ranges::make_heap(heap, later);
  Random random(seed);
  while (!heap.empty()) {
    const auto best = heap.front();
    std::ranges::pop_heap(heap, later);
    heap.pop_back();
    const auto left = static_cast<std::int32_t>(best.order & 0xFFFFFFFFU);
    if (symbol(left).id != best.left_id || symbol(best.right).id != best.right_id) continue;  // one has grown
    if (random.next() < left_out_below_) continue;
    symbol(left).id = best.merged;
    symbol(best.right).id = kNone;
    const auto next = symbol(left).next = symbol(best.right).next;
    if (next != kNone) symbol(next).before = left;
    const auto end = heap.size();
    push_merge(workspace, symbol(left).before, left);
    push_merge(workspace, left, next);
    for (auto size = end + 1; size <= heap.size(); ++size)
      std::ranges::push_heap(heap.begin(), heap.begin() + static_cast<std::ptrdiff_t>(size), later);
  }
  for (std::int32_t i = 0; i != kNone; i = symbol(i).next) drawn.push_back(symbol(i).id);
  return drawn;
}

}  // namespace transformer::data
