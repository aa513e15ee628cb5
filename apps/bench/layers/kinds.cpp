#include "apps/bench/layers/kinds.h"

#include "transformer/base/choices.h"

namespace transformer::bench {
namespace {

/// Pairs of positions at most `window` apart.
double pairs_within(std::int64_t length, std::int64_t window) {
  const auto n = static_cast<double>(length), r = static_cast<double>(window);
  return window >= length ? n * n : n * (2 * r + 1) - r * (r + 1);
}

double operations_of_one(LayerKind kind, const LayerShape& shape) {
  const auto n = static_cast<double>(shape.length), d = static_cast<double>(shape.width),
             k = static_cast<double>(shape.kernel);
  switch (kind) {
    case LayerKind::self_attention:
      return 2 * n * n * d;
    case LayerKind::multi_head_attention:
    case LayerKind::additive_attention:
      return 2 * n * n * d + 4 * n * d * d;
    case LayerKind::restricted_attention:
      return 2 * pairs_within(shape.length, shape.window) * d;
    case LayerKind::recurrent:
      return 2 * n * d * d;
    case LayerKind::lstm:
      return 8 * n * d * d;
    case LayerKind::convolution:
    case LayerKind::dilated_convolution:
      return k * n * d * d;
    case LayerKind::separable_convolution:
      return k * n * d + n * d * d;
  }
  no_such_choice();
}

}  // namespace

const std::vector<LayerKind>& layer_kinds() {
  static const std::vector<LayerKind> kinds = {LayerKind::self_attention,
                                               LayerKind::multi_head_attention,
                                               LayerKind::additive_attention,
                                               LayerKind::restricted_attention,
                                               LayerKind::recurrent,
                                               LayerKind::lstm,
                                               LayerKind::convolution,
                                               LayerKind::dilated_convolution,
                                               LayerKind::separable_convolution};
  return kinds;
}

const char* name_of(LayerKind kind) {
  switch (kind) {
    case LayerKind::self_attention:
      return "self-attention";
    case LayerKind::multi_head_attention:
      return "self-attention with projections";
    case LayerKind::additive_attention:
      return "additive self-attention with projections";
    case LayerKind::restricted_attention:
      return "restricted self-attention";
    case LayerKind::recurrent:
      return "recurrent";
    case LayerKind::lstm:
      return "LSTM";
    case LayerKind::convolution:
      return "convolution";
    case LayerKind::dilated_convolution:
      return "dilated convolution";
    case LayerKind::separable_convolution:
      return "separable convolution";
  }
  no_such_choice();
}

double operations(LayerKind kind, const LayerShape& shape) {
  return static_cast<double>(shape.sequences) * operations_of_one(kind, shape);
}

const char* formula_of(LayerKind kind) {
  switch (kind) {
    case LayerKind::self_attention:
      return "2 n² d";
    case LayerKind::multi_head_attention:
    case LayerKind::additive_attention:
      return "2 n² d + 4 n d²";
    case LayerKind::restricted_attention:
      return "2 (n (2 r + 1) - r (r + 1)) d";
    case LayerKind::recurrent:
      return "2 n d²";
    case LayerKind::lstm:
      return "8 n d²";
    case LayerKind::convolution:
    case LayerKind::dilated_convolution:
      return "k n d²";
    case LayerKind::separable_convolution:
      return "k n d + n d²";
  }
  no_such_choice();
}

std::int64_t sequential_operations(LayerKind kind, const LayerShape& shape) {
  switch (kind) {
    case LayerKind::self_attention:
    case LayerKind::restricted_attention:
      return 2;  // scores, weighted sum
    case LayerKind::multi_head_attention:
    case LayerKind::additive_attention:
      return 4;  // and the projections before and behind them
    case LayerKind::recurrent:
    case LayerKind::lstm:
      return shape.length + 1;  // of all inputs at once, then of each state
    case LayerKind::convolution:
    case LayerKind::dilated_convolution:
      return 1;
    case LayerKind::separable_convolution:
      return 2;
  }
  no_such_choice();
}

StatedCosts stated_costs(LayerKind kind) {
  switch (kind) {
    case LayerKind::self_attention:
      return {"O(n² d)", "O(1)", "O(1)", 2, 1};
    case LayerKind::multi_head_attention:
    case LayerKind::additive_attention:
      return {"O(n² d + n d²)", "O(1)", "O(1)", 0, 0};
    case LayerKind::restricted_attention:
      return {"O(r n d)", "O(1)", "O(n / r)", 1, 1};
    case LayerKind::recurrent:
    case LayerKind::lstm:
      return {"O(n d²)", "O(n)", "O(n)", 1, 2};
    case LayerKind::convolution:
      return {"O(k n d²)", "O(1)", "O(log_k n); section 4: O(n / k)", 1, 2};
    case LayerKind::dilated_convolution:
      return {"O(k n d²)", "O(1)", "O(log_k n)", 1, 2};
    case LayerKind::separable_convolution:
      return {"O(k n d + n d²)", "O(1)", "O(n / k)", 1, 0};
  }
  no_such_choice();
}

}  // namespace transformer::bench
