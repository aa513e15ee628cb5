// One variant of each kind, as somebody outside the project would write them: with parameters and options.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace transformer::test {

/// Makes them known, once.
void add_outside_variants();

/// Key → its two values; the first is "none".
const std::map<std::string, std::vector<std::string>>& outside_values();

}  // namespace transformer::test
