// How large a model is and what it costs, from its options alone. Free of LibTorch.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "transformer/models/tensors.h"

namespace transformer::models {

/// Trained numbers by part. Variants are counted by making one for each kind of place. A matrix that several
/// parts share counts once, as an embedding.
struct ParameterCount {
  std::array<std::int64_t, all_values<ModelPart>().size()> numbers{};

  std::int64_t of(ModelPart part) const { return numbers.at(static_cast<std::size_t>(part)); }
  std::int64_t total() const;
  /// Name and count of each part, in the order of ModelPart: `whole` alone, or all others.
  std::vector<std::pair<std::string, std::int64_t>> parts() const;
};

/// Throws InputError, naming the key, for a variant that is not known; so do all that follow.
ParameterCount count_parameters(const ModelOptions& options, const VocabularySizes& vocabulary);

/// Numbers that a model keeps beside those: statistics of its norms (nn::statistics_of).
std::int64_t count_statistics(const ModelOptions& options);

/// Real tokens, without padding, of any number of sentence pairs.
struct TokenCounts {
  double source = 0;
  double target = 0;
  double source_squared = 0;  ///< sum of the squares of the source lengths
  double target_squared = 0;
  double source_target = 0;  ///< sum of the products of the two lengths

  /// Counts a pair of these lengths, end or begin tokens included.
  void add_pair(std::int64_t source_length, std::int64_t target_length);
  TokenCounts& operator+=(const TokenCounts& other);
};

/// The counts of `tokens` tokens on each side in sentences of `length` tokens.
TokenCounts even_pairs(double tokens, double length);

/// Floating-point operations of a forward pass, two for each multiplication with addition. Counted are the
/// matrix products: projections, feed-forward layers, attention scores and sums, output projection. Biases,
/// softmax, norms and embedding look-ups are left out; they are below a hundredth. The decoder's causal
/// self-attention counts T × T as is customary, though half of it is masked. Of variants counts what they
/// declare (variants/registry.h).
struct FlopCount {
  double source = 0;  ///< the encoder, and the decoder's keys and values of its output
  double target = 0;  ///< the rest of the decoder
  double output = 0;  ///< the projection to the vocabulary

  double total() const { return source + target + output; }
};

FlopCount forward_flops(const ModelOptions& options, const VocabularySizes& vocabulary,
                        const TokenCounts& counts);

/// Variants of attention and feed-forward layers that do not say what they cost, as
/// "model.variants.attention: local": their operations are in none of the counts here.
std::vector<std::string> uncounted_flops(const ModelOptions& options);

/// Forward and backward: three times the forward pass, as the gradient of a product is two products.
double training_flops(const ModelOptions& options, const VocabularySizes& vocabulary,
                      const TokenCounts& counts);

/// Cached search: the source side once, the target side and the output for each of `beam` hypotheses.
double decoding_flops(const ModelOptions& options, const VocabularySizes& vocabulary,
                      const TokenCounts& counts, std::int64_t beam);

/// Bytes.
struct MemoryEstimate {
  double weights = 0;      ///< 4 P, for P parameters in fp32
  double gradients = 0;    ///< 4 P
  double moments = 0;      ///< 4 P for each number that the optimiser keeps: Adam's two moments
  double activations = 0;  ///< what the layers keep for the backward pass; 0 where a kind does not tell
  double output = 0;       ///< logits, their log-softmax and its gradient

  double total() const { return weights + gradients + moments + activations + output; }
  /// Name and bytes of each part that is known, in the order above.
  std::vector<std::pair<std::string, double>> parts() const;
};

/// Memory of training with micro-batches of `tokens` padded tokens on each side, in sentences of `length`
/// tokens. element: bytes of an activation, 4 in fp32, 2 in bf16 and fp16. kept_numbers: numbers that the
/// optimiser keeps for each trained one, 2 for Adam.
///
/// For each token,
///     an attention sublayer keeps   (h + kv_heads) (d_k + d_v) + h · length + 3 d_model   numbers,
///     a feed-forward sublayer       2 d_ff + 3 d_model, with a gate 4 d_ff + 3 d_model,
///     an embedding                  2 d_model,
///     the output                    3 V.
///
/// Some options change this:
/// * With a window, its block of keys replaces `length`.
/// * Additive scores add the hidden layer, h · d_k for each key in reach.
/// * Relative positions add the weights of their distances, twice.
/// * Another kind of model states what its layers keep (kind_costs.h).
///
/// A fused attention or loss kernel needs less, a caching allocator more.
MemoryEstimate training_memory(const ModelOptions& options, const VocabularySizes& vocabulary, double tokens,
                               double length, double element, double kept_numbers = 2);

}  // namespace transformer::models
