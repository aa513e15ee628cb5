// Table 1 of the paper: the kinds of layers, and what they cost by count. Free of LibTorch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace transformer::bench {

/// Layers from (n, d) to (n, d), of a sequence.
enum class LayerKind {
  self_attention,        ///< section 3.2.1, Attention(X, X, X): Table 1 counts this one
  multi_head_attention,  ///< section 3.2.2: the same with its four projections
  additive_attention,    ///< multi_head_attention with scores w · tanh(q + k); section 3.2.1 names it
  restricted_attention,  ///< self_attention over `window` positions to each side, section 4
  recurrent,             ///< h' = tanh(W x + U h)
  lstm,                  ///< four gates
  convolution,           ///< `kernel` positions wide, centred, zeros beyond the ends
  dilated_convolution,   ///< causal, with kernel^l positions between taps in layer l = 0, 1, … of a stack
  separable_convolution  ///< `kernel` positions of each dimension alone, then all dimensions of a position
};

/// All of them, in the order of the table.
const std::vector<LayerKind>& layer_kinds();
const char* name_of(LayerKind kind);

struct LayerShape {
  std::int64_t length = 256, width = 256;  ///< n and d
  std::int64_t kernel = 3;                 ///< k, odd
  std::int64_t window = 32;                ///< r
  std::int64_t head_width = 64;            ///< of attention's heads; divides d
  std::int64_t sequences = 1;              ///< of n positions each, computed together

  bool operator==(const LayerShape&) const = default;
};

/// Multiplications, each with its addition, of the matrix products (and sums over a window or a kernel) of a
/// forward pass. Softmax, tanh, gates and biases are not counted; what a window's blocks compute and hide,
/// and what a kernel does with the zeros beyond the ends: the first not, the second so.
double operations(LayerKind kind, const LayerShape& shape);
/// The same of one sequence as a formula: "2 n² d".
const char* formula_of(LayerKind kind);

/// Products of a forward pass that wait for one another.
std::int64_t sequential_operations(LayerKind kind, const LayerShape& shape);

/// What Table 1 says of a kind, or would say if it had that kind. For the path of a convolution it has
/// O(log_k n), which by section 4 holds for dilated kernels only.
struct StatedCosts {
  const char* complexity;
  const char* sequential;
  const char* path;
  /// The exponents of n and d in `complexity`; 0 where it is a sum of two powers.
  double by_length, by_width;
};
StatedCosts stated_costs(LayerKind kind);

/// Two kinds of layers. `attention` is cheaper while n is small.
struct Rivals {
  LayerKind attention, recurrence;
};
/// Self-attention against a recurrence by Table 1's own terms, 2 n² d and 2 n d²; and the two layers as
/// models contain them.
const std::vector<Rivals>& rivals();

/// The least length at which attention takes no fewer operations than the recurrence. Throws RunError where
/// there is none below 2^40.
std::int64_t operations_crossing(const Rivals& pair, LayerShape shape);

}  // namespace transformer::bench
