// Weights in a document. Free of LibTorch.
#pragma once

#include <span>
#include <string>

#include "transformer/maps/attention_map.h"

namespace transformer::maps {

/// [layer][head][query][key] as nested lists of JSON, numbers between 0 and 1 with at most six decimals.
std::string weights_as_json(const AttentionWeights& weights);

/// The same values in steps of 1/255, a byte each, compressed (zlib's format) and in base64.
std::string weights_as_base64(const AttentionWeights& weights);

}  // namespace transformer::maps
