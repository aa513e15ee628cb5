// The choices of positions, section 3.5. Free of LibTorch, with rows as in types.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "transformer/base/choices.h"

namespace transformer::nn {

using transformer::no_such_choice;

/// Section 3.5. How a position becomes part of the model.
enum class Positions {
  interleaved,    ///< the paper: sin at even, cos at odd dimensions
  halves,         ///< all sines, then all cosines, of the same frequencies
  tensor2tensor,  ///< halves with the exponent over d/2 - 1
  learned,        ///< an embedding of each position, up to a stated maximum (Table 3, row E)
  rotary,         ///< self-attention's queries and keys are rotated (RoFormer, Su et al. 2021)
  bias,           ///< a learned bias for each head and distance (T5, Raffel et al. 2020, section 2.1)
  alibi,          ///< a bias that falls with the distance, at each head's slope (Press et al. 2022)
  relative,       ///< learned vectors of clipped distances for keys and values (Shaw et al. 2018)
  every_layer,    ///< the paper's, added to each layer's input (Universal Transformer, Dehghani et al. 2019)
  none,           ///< no positions: self-attention sees a set of words (section 3.5)
};

/// Where positions enter the model.
enum class PositionsEnter {
  embeddings,        ///< a vector is added to each embedding
  queries_and_keys,  ///< self-attention's queries and keys are rotated
  scores,            ///< self-attention's scores get a bias
  keys_and_values,   ///< self-attention's keys and values get vectors that depend on the query, too
  layers,            ///< a vector is added to each layer's input
  nowhere,
};

/// A bias on the scores of self-attention that depends on a key's distance from its query.
enum class ScoreBias {
  buckets,  ///< a weight for each head and bucket of distances (kernels/relative_bucket.h)
  slopes,   ///< -slope · distance, to either side, with a fixed slope for each head (kernels/alibi.h)
};

/// Sines and cosines as vectors: of d/2 frequencies each (frequencies.h).
struct Sinusoids {
  bool interleaved = true;  ///< sine, cosine, sine, …; else all sines, then all cosines
  /// The lowest frequency is exactly 1/10000, as in tensor2tensor; the paper's frequencies stay above it.
  /// Needs at least two frequencies.
  bool reach_the_end = false;
};

/// Facts about a position scheme besides its mathematics. Code that names, checks, counts, exports or
/// computes the scheme reads them.
struct PositionScheme {
  const char* name;  ///< in model.positions
  PositionsEnter enter = PositionsEnter::embeddings;
  bool learned_vectors = false;  ///< as many as model.max_positions says
  std::optional<Sinusoids> sinusoids = {};
  std::optional<ScoreBias> score_bias = {};
  bool in_engine = false;           ///< the engine for CPUs computes it, too
  const char* departure = nullptr;  ///< from the paper, and what to expect; null: none, or row E of Table 3
};

constexpr PositionScheme about(Positions positions) {
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
              .in_engine = true,
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
    case Positions::relative:
      return {.name = "relative",
              .enter = PositionsEnter::keys_and_values,
              .departure =
                  "learned vectors of clipped distances are added to keys and values of self-attention; the "
                  "paper adds sinusoids to the embeddings (expected: a slightly higher BLEU)"};
    case Positions::every_layer:
      return {.name = "every_layer",
              .enter = PositionsEnter::layers,
              .departure =
                  "sinusoids are added to what each layer reads; the paper adds them to the embeddings alone "
                  "(expected: about the same BLEU)"};
    case Positions::none:
      return {
          .name = "none",
          .enter = PositionsEnter::nowhere,
          .in_engine = true,
          .departure =
              "no positions: the encoder sees a set of words, and only the decoder's mask tells order; the "
              "paper adds sinusoids to the embeddings (expected: a much lower BLEU)"};
  }
  no_such_choice();
}

/// Of a value that has a row, here and in types.h.
template <typename Value>
constexpr auto name_of(Value value) -> decltype(about(value).name) {
  return about(value).name;
}

constexpr PositionsEnter where_enter(Positions positions) {
  return about(positions).enter;
}

/// Whether the vectors of positions are weights.
constexpr bool are_learned_vectors(Positions positions) {
  return about(positions).learned_vectors;
}

/// Whether the vectors of positions are sines and cosines.
constexpr bool are_sinusoids(Positions positions) {
  return about(positions).sinusoids.has_value();
}

/// Whether a vector for each position is added to the embeddings.
constexpr bool are_vectors(Positions positions) {
  return where_enter(positions) == PositionsEnter::embeddings;
}

/// Whether self-attention's queries and keys are turned, which takes an even d_k.
constexpr bool are_rotary(Positions positions) {
  return where_enter(positions) == PositionsEnter::queries_and_keys;
}

/// Whether self-attention adds a vector for each distance to keys and values.
constexpr bool are_relative_vectors(Positions positions) {
  return where_enter(positions) == PositionsEnter::keys_and_values;
}

/// For an InputError, where a sequence is longer than learned vectors reach.
inline std::string too_few_positions(std::int64_t known, std::int64_t length) {
  return "model.max_positions: " + std::to_string(known) + " learned positions cannot hold a sequence of " +
         std::to_string(length) + " tokens";
}

}  // namespace transformer::nn
