// The instructions of a pickle that describe data.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "transformer/formats/pytorch/pickle_data.h"

namespace transformer::formats {

/// Appends the values that the instructions make and returns the number of the last one, which all others
/// are part of. As of PickleData's constructor.
PickleValue::Number run_pickle(std::string_view bytes, const std::string& source,
                               const std::unordered_set<std::string>& allowed,
                               std::vector<PickleValue>& values);

}  // namespace transformer::formats
