// The choices that the building blocks offer. Free of LibTorch, so that a configuration can name them.
#pragma once

namespace transformer::nn {

/// Section 3.5. How a position becomes a vector.
enum class Positions {
  interleaved,    ///< the paper: sin at even, cos at odd dimensions
  halves,         ///< all sines, then all cosines, of the same frequencies
  tensor2tensor,  ///< halves with the exponent over d/2 - 1
  learned,        ///< an embedding of each position, up to a stated maximum (Table 3, row E)
};

/// Where layer normalisation stands: LayerNorm(x + Sublayer(x)), or x + Sublayer(LayerNorm(x)).
enum class NormPlacement { post, pre };

/// The non-linearity between the two layers of section 3.3; the paper's is relu.
enum class Activation { relu, gelu, swish };

/// Section 3.4. Which of source embedding, target embedding and output projection are one matrix.
enum class Tie {
  all,     ///< the paper: all three
  target,  ///< target embedding and output projection
  none,
};

}  // namespace transformer::nn
