// Trees as the target of pairs, in one line each.
#pragma once

#include <string>
#include <string_view>

#include "transformer/trees/linearised_tree.h"

namespace transformer::data {

/// trees::linearised() of a tree in brackets, which may be empty.
inline std::string linearised_line(std::string_view brackets, bool tags) {
  return brackets.empty() ? std::string() : trees::linearised(trees::parse_tree(brackets), tags);
}

}  // namespace transformer::data
