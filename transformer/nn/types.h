// The choices that the building blocks offer. Free of LibTorch, so that a configuration can name them.
//
// Nobody compares them with ==: who needs to know something of a choice asks a function below, or lists all
// choices in a switch without default. So a new one does not compile until each of its readers has an answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "transformer/base/choices.h"

namespace transformer::nn {

/// Section 3.5. How a position becomes part of the model. scheme_of() says what is to be known of each.
enum class Positions {
  interleaved,    ///< the paper: sin at even, cos at odd dimensions
  halves,         ///< all sines, then all cosines, of the same frequencies
  tensor2tensor,  ///< halves with the exponent over d/2 - 1
  learned,        ///< an embedding of each position, up to a stated maximum (Table 3, row E)
  rotary,         ///< self-attention's queries and keys are turned by angles (RoFormer, Su et al. 2021)
  bias,           ///< a learned bias for each head and distance (T5, Raffel et al. 2020, section 2.1)
  alibi,          ///< a bias that falls with the distance, for each head at its slope (Press et al. 2022)
};

/// Where positions enter the model.
enum class PositionsEnter {
  embeddings,        ///< a vector is added to each embedding
  queries_and_keys,  ///< those of self-attention are turned
  scores,            ///< those of self-attention get a bias
};

/// What a key's distance from its query adds to the scores of self-attention.
enum class ScoreBias {
  buckets,  ///< a weight for each head and bucket of distances (kernels/relative_bucket.h)
  slopes,   ///< -slope · distance, to either side, with a fixed slope for each head (kernels/alibi.h)
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

using transformer::no_such_choice;

// Their names in a configuration. That of a position scheme is in scheme_of().

constexpr const char* name_of(NormPlacement norm) {
  switch (norm) {
    case NormPlacement::post:
      return "post";
    case NormPlacement::pre:
      return "pre";
  }
  no_such_choice();
}

constexpr const char* name_of(Activation activation) {
  switch (activation) {
    case Activation::relu:
      return "relu";
    case Activation::gelu:
      return "gelu";
    case Activation::swish:
      return "swish";
  }
  no_such_choice();
}

constexpr const char* name_of(Tie tie) {
  switch (tie) {
    case Tie::all:
      return "all";
    case Tie::target:
      return "target";
    case Tie::none:
      return "none";
  }
  no_such_choice();
}

/// Sines and cosines as vectors: of d/2 frequencies each (frequencies.h).
struct Sinusoids {
  bool interleaved = true;  ///< sine, cosine, sine, …; else all sines, then all cosines
  /// The least frequency is 1/10000 itself, as in tensor2tensor, where the paper's lie above it. Takes two of
  /// them at least.
  bool reach_the_end = false;
};

/// What is to be known of a position scheme besides its mathematics, for whoever has to name, check, count,
/// export or compute it.
struct PositionScheme {
  const char* name;  ///< in model.positions
  PositionsEnter enter = PositionsEnter::embeddings;
  bool learned_vectors = false;  ///< as many as model.max_positions says
  std::optional<Sinusoids> sinusoids = {};
  std::optional<ScoreBias> score_bias = {};
  bool in_engine = false;           ///< the engine for CPUs computes it, too
  const char* departure = nullptr;  ///< from the paper, and what to expect; null: none, or row E of Table 3
};

constexpr PositionScheme scheme_of(Positions positions) {
  switch (positions) {
    case Positions::interleaved:
      return {.name = "interleaved", .sinusoids = Sinusoids{}, .in_engine = true};
    case Positions::halves:
      return {.name = "halves",
              .sinusoids = Sinusoids{.interleaved = false},
              .in_engine = true,
              .departure =
                  "positions hold all sines, then all cosines (the paper interleaves them; expected: no "
                  "difference, it is a permutation)"};
    case Positions::tensor2tensor:
      return {
          .name = "tensor2tensor",
          .sinusoids = Sinusoids{.interleaved = false, .reach_the_end = true},
          .in_engine = true,
          .departure = "positions as in tensor2tensor: sines, then cosines, with slightly other frequencies"};
    case Positions::learned:
      return {.name = "learned", .learned_vectors = true, .in_engine = true};
    case Positions::rotary:
      return {.name = "rotary",
              .enter = PositionsEnter::queries_and_keys,
              .in_engine = true,
              .departure =
                  "rotary positions: queries and keys of self-attention are turned; the paper adds sinusoids "
                  "to the embeddings (expected: about the same or a slightly higher BLEU)"};
    case Positions::bias:
      return {.name = "bias",
              .enter = PositionsEnter::scores,
              .score_bias = ScoreBias::buckets,
              .departure =
                  "a learned bias for each head and distance in self-attention; the paper adds sinusoids to "
                  "the embeddings (expected: about the same or a slightly higher BLEU)"};
    case Positions::alibi:
      return {
          .name = "alibi",
          .enter = PositionsEnter::scores,
          .score_bias = ScoreBias::slopes,
          .in_engine = true,
          .departure =
              "a bias that falls with the distance in self-attention (ALiBi); the paper adds sinusoids to "
              "the embeddings (expected: about the same BLEU, a higher one of sentences longer than those "
              "of the training)"};
  }
  no_such_choice();
}

constexpr const char* name_of(Positions positions) {
  return scheme_of(positions).name;
}

constexpr PositionsEnter where_enter(Positions positions) {
  return scheme_of(positions).enter;
}

/// Whether the vectors of positions are weights.
constexpr bool are_learned_vectors(Positions positions) {
  return scheme_of(positions).learned_vectors;
}

/// Whether the vectors of positions are sines and cosines.
constexpr bool are_sinusoids(Positions positions) {
  return scheme_of(positions).sinusoids.has_value();
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

/// For an InputError, where a sequence is longer than learned vectors reach.
inline std::string too_few_positions(std::int64_t known, std::int64_t length) {
  return "model.max_positions: " + std::to_string(known) + " learned positions cannot hold a sequence of " +
         std::to_string(length) + " tokens";
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

/// Whether the bias of self-attention's scores is a weight.
constexpr bool is_learned_bias(ScoreBias bias) {
  switch (bias) {
    case ScoreBias::buckets:
      return true;
    case ScoreBias::slopes:
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
