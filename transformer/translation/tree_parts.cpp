#include "transformer/translation/tree_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "transformer/base/error.h"
#include "transformer/base/special_tokens.h"

namespace transformer::translation {

using Kind = search::TreePart::Kind;

std::vector<search::TreePart> tree_parts(const data::Tokenizer& target) {
  if (!target.has_words())
    throw InputError(
        fmt::format("{}: expected a vocabulary of whole words for decode.whole_trees, found pieces",
                    target.path().string()));
  struct Label {
    std::int32_t number = 0;
    bool begins = false, ends = false;
  };
  std::map<std::string, Label> labels;
  std::vector<search::TreePart> parts(static_cast<std::size_t>(target.size()));
  for (std::int32_t id = kEos + 1; id < target.size(); ++id) {
    const auto word = target.decode({&id, 1});
    if (word.empty()) continue;
    const bool begins = word.front() == '(', ends = word.front() == ')';
    auto& part = parts[static_cast<std::size_t>(id)];
    part.kind = begins ? Kind::begins : ends ? Kind::ends : Kind::tag;
    if (!begins && !ends) continue;
    auto& label =
        labels.try_emplace(word.substr(1), Label{static_cast<std::int32_t>(labels.size())}).first->second;
    part.label = label.number;
    (begins ? label.begins : label.ends) = true;
  }
  std::vector<bool> whole(labels.size());
  for (const auto& [name, label] : labels)
    whole[static_cast<std::size_t>(label.number)] = label.begins && label.ends;
  for (auto& part : parts)
    if ((part.kind == Kind::begins || part.kind == Kind::ends) &&
        !whole[static_cast<std::size_t>(part.label)])
      part = {};
  const auto has = [&](Kind kind) {
    return std::ranges::any_of(parts, [&](auto part) { return part.kind == kind; });
  };
  if (!has(Kind::tag) || !has(Kind::begins))
    throw InputError(
        fmt::format("{}: expected tokens of trees for decode.whole_trees, such as (NP, )NP and NN",
                    target.path().string()));
  return parts;
}

}  // namespace transformer::translation
