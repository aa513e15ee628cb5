// Whole corpora through a tokenizer.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "transformer/data/dataset.h"
#include "transformer/data/tokenizer.h"

namespace transformer::data {

/// Encodes all lines on `threads` threads; the result does not depend on their number. A line of more than
/// `most` tokens gives the first most + 1. `progress`, where given, is told now and then, on the calling
/// thread, how many lines are done.
Sentences encode_all(const Tokenizer& tokenizer, const std::vector<std::string>& lines, std::int64_t most,
                     int threads, const std::function<void(std::int64_t)>& progress = {});

}  // namespace transformer::data
