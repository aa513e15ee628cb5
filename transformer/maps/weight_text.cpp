#include "transformer/maps/weight_text.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "transformer/base/base64.h"
#include "transformer/base/error.h"

namespace transformer::maps {
namespace {

/// "0.125", "0", "1"
void append_number(std::string& text, float value) {
  const auto millionths = std::lround(std::clamp(value, 0.0F, 1.0F) * 1e6);
  if (millionths % 1000000 == 0) {
    text += millionths == 0 ? '0' : '1';
    return;
  }
  fmt::format_to(std::back_inserter(text), "0.{:06}", millionths);
  text.erase(text.find_last_not_of('0') + 1);
}

/// `count` parts in brackets, with commas between them.
template <typename Part>
void append_list(std::string& text, std::size_t count, Part&& part) {
  text += '[';
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += ',';
    part(i);
  }
  text += ']';
}

}  // namespace

std::string weights_as_json(const AttentionWeights& weights) {
  std::string text;
  append_list(text, weights.layers, [&](std::size_t layer) {
    append_list(text, weights.heads, [&](std::size_t head) {
      append_list(text, weights.queries, [&](std::size_t query) {
        const auto row = weights.row(layer, head, query);
        append_list(text, row.size(), [&](std::size_t key) { append_number(text, row[key]); });
      });
    });
  });
  return text;
}

std::string weights_as_base64(const AttentionWeights& weights) {
  std::vector<unsigned char> steps;
  steps.reserve(weights.values.size());
  for (const auto value : weights.values)
    steps.push_back(static_cast<unsigned char>(std::lround(std::clamp(value, 0.0F, 1.0F) * 255)));
  auto size = compressBound(static_cast<uLong>(steps.size()));
  std::vector<unsigned char> compressed(size);
  if (compress2(compressed.data(), &size, steps.data(), static_cast<uLong>(steps.size()),
                Z_BEST_COMPRESSION) != Z_OK)
    throw RunError("attention weights could not be compressed");
  return to_base64({reinterpret_cast<const char*>(compressed.data()), size});
}

}  // namespace transformer::maps
