#include "apps/bench/layers/kinds.h"
#include "transformer/base/error.h"

namespace transformer::bench {

const std::vector<Rivals>& rivals() {
  static const std::vector<Rivals> pairs = {{LayerKind::self_attention, LayerKind::recurrent},
                                            {LayerKind::multi_head_attention, LayerKind::lstm}};
  return pairs;
}

std::int64_t operations_crossing(const Rivals& pair, LayerShape shape) {
  const auto crossed = [&](std::int64_t length) {
    shape.length = length;
    return operations(pair.attention, shape) >= operations(pair.recurrence, shape);
  };
  std::int64_t below = 0, at = 1;
  while (!crossed(at)) {
    if (at >= std::int64_t{1} << 40) throw RunError("attention takes fewer operations at any length");
    below = at;
    at *= 2;
  }
  while (at - below > 1) {
    const auto middle = below + (at - below) / 2;
    (crossed(middle) ? at : below) = middle;
  }
  return at;
}

}  // namespace transformer::bench
