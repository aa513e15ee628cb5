// The choices that the building blocks offer. Free of LibTorch, so that a configuration can name them.
//
// Nobody compares them with ==: who needs to know something of a choice asks a function below, or lists all
// choices in a switch without default. So a new one does not compile until each of its readers has an answer.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace transformer::nn {

/// Section 3.5. How a position becomes part of the model.
enum class Positions {
  interleaved,    ///< the paper: sin at even, cos at odd dimensions
  halves,         ///< all sines, then all cosines, of the same frequencies
  tensor2tensor,  ///< halves with the exponent over d/2 - 1
  learned,        ///< an embedding of each position, up to a stated maximum (Table 3, row E)
  rotary,         ///< self-attention's queries and keys are turned by angles (RoFormer, Su et al. 2021)
  bias,           ///< a learned bias for each head and distance (T5, Raffel et al. 2020, section 2.1)
};

/// Where positions enter the model.
enum class PositionsEnter {
  embeddings,        ///< a vector is added to each embedding
  queries_and_keys,  ///< those of self-attention are turned
  scores,            ///< those of self-attention get a bias
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

/// Behind a switch over all values: reached by none of them.
[[noreturn]] inline void no_such_choice() {
  throw std::logic_error("a choice that its type does not list");
}

constexpr PositionsEnter where_enter(Positions positions) {
  switch (positions) {
    case Positions::interleaved:
    case Positions::halves:
    case Positions::tensor2tensor:
    case Positions::learned:
      return PositionsEnter::embeddings;
    case Positions::rotary:
      return PositionsEnter::queries_and_keys;
    case Positions::bias:
      return PositionsEnter::scores;
  }
  no_such_choice();
}

/// Whether a vector for each position is added to the embeddings.
constexpr bool are_vectors(Positions positions) {
  switch (where_enter(positions)) {
    case PositionsEnter::embeddings:
      return true;
    case PositionsEnter::queries_and_keys:
    case PositionsEnter::scores:
      return false;
  }
  no_such_choice();
}

/// Whether the vectors of positions are weights, of which there are as many as model.max_positions says.
constexpr bool are_learned_vectors(Positions positions) {
  switch (positions) {
    case Positions::learned:
      return true;
    case Positions::interleaved:
    case Positions::halves:
    case Positions::tensor2tensor:
    case Positions::rotary:
    case Positions::bias:
      return false;
  }
  no_such_choice();
}

/// For an InputError, where a sequence is longer than learned vectors reach.
inline std::string too_few_positions(std::int64_t known, std::int64_t length) {
  return "model.max_positions: " + std::to_string(known) + " learned positions cannot hold a sequence of " +
         std::to_string(length) + " tokens";
}

/// Whether the vectors of positions are sines and cosines.
constexpr bool are_sinusoids(Positions positions) {
  return are_vectors(positions) && !are_learned_vectors(positions);
}

/// Whether self-attention's queries and keys are turned, which takes an even d_k.
constexpr bool are_rotary(Positions positions) {
  switch (where_enter(positions)) {
    case PositionsEnter::queries_and_keys:
      return true;
    case PositionsEnter::embeddings:
    case PositionsEnter::scores:
      return false;
  }
  no_such_choice();
}

/// Whether each sublayer begins with its norm, and a stack ends with one of its own.
constexpr bool norm_comes_first(NormPlacement norm) {
  switch (norm) {
    case NormPlacement::post:
      return false;
    case NormPlacement::pre:
      return true;
  }
  no_such_choice();
}

/// Whether source and target embedding are one matrix.
constexpr bool ties_embeddings(Tie tie) {
  switch (tie) {
    case Tie::all:
      return true;
    case Tie::target:
    case Tie::none:
      return false;
  }
  no_such_choice();
}

/// Whether target embedding and output projection are one matrix.
constexpr bool ties_output(Tie tie) {
  switch (tie) {
    case Tie::all:
    case Tie::target:
      return true;
    case Tie::none:
      return false;
  }
  no_such_choice();
}

}  // namespace transformer::nn
