#include "transformer/search/tree_outputs.h"

#include "transformer/base/special_tokens.h"

namespace transformer::search {

using Kind = TreePart::Kind;

OpenTree::OpenTree(std::span<const TreePart> parts, std::int64_t words, std::span<const std::int32_t> ids)
    : parts_(parts), words_(words) {
  for (const auto id : ids) {
    const auto part = parts[static_cast<std::size_t>(id)];
    begun_ = true;
    is_empty_ = part.kind == Kind::begins;
    switch (part.kind) {
      case Kind::tag:
        ++tags_;
        break;
      case Kind::begins:
        labels_.push_back(part.label);
        break;
      case Kind::ends:
        labels_.pop_back();
        break;
      case Kind::other:
        break;
    }
  }
}

bool OpenTree::allows(std::int32_t token) const {
  const bool words_left = tags_ < words_;
  if (token == kEos) return !words_left && labels_.empty();
  const auto part = parts_[static_cast<std::size_t>(token)];
  switch (part.kind) {
    case Kind::tag:
      return words_left && (!labels_.empty() || words_ == 1);
    case Kind::begins:
      return words_left && (!labels_.empty() || !begun_);
    case Kind::ends:
      return !labels_.empty() && labels_.back() == part.label && !is_empty_ &&
             (!words_left || labels_.size() > 1);
    case Kind::other:
      return false;
  }
  return false;
}

}  // namespace transformer::search
