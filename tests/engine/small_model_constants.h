// What small_model.h's model finds by its modules (small_model_test.cpp): the two best of a beam of four.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace transformer::test {

struct SmallFound {
  std::vector<std::int32_t> ids;
  double log_probability;
};

inline const std::vector<std::vector<std::int32_t>> kSmallSources{{10, 4, 25, 3}, {7, 3}, {3}};

inline const std::vector<std::array<SmallFound, 2>> kSmallFound{
    {{{{11, 11, 11, 11, 11, 11, 11, 11}, -14.9908228}, {{18, 11, 11, 11, 11, 11, 11, 11}, -15.353817}}},
    {{{{11, 11, 11, 11, 11, 11}, -12.7493801}, {{18, 11, 11, 11, 11, 11}, -12.9348412}}},
    {{{{11, 11, 11, 11, 11}, -10.3628483}, {{18, 11, 11, 11, 11}, -10.9818077}}},
};

}  // namespace transformer::test
