// How the next token of a text is drawn from what a model says of all tokens: by chance, from those that the
// options leave. The order of the options is that of Hugging Face's generate(), so that the same numbers mean
// the same there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transformer/base/special_tokens.h"

namespace transformer::search {

struct SamplingOptions {
  /// Logits of tokens that the text has already are divided by it where they are positive, else multiplied
  /// (Keskar et al. 2019). 1: as the model says
  double repetition_penalty = 1;
  double temperature = 1;  ///< logits are divided by it; 0: always the most probable token
  std::int64_t top_k = 0;  ///< only the k most probable (Fan et al. 2018); 0: all
  /// The most probable tokens, as few as have this much probability together (Holtzman et al. 2020).
  double top_p = 1;
  double min_p = 0;  ///< only tokens with this share of the most probable one's probability at least

  bool operator==(const SamplingOptions&) const = default;
};

/// The number, from 0 to below 1, that decides token number `place` of a text's sample.
double uniform_of(std::uint64_t seed, std::int64_t text, std::int64_t sample, std::int64_t place);

/// What a row of logits says of all tokens, in one pass. The logits must outlive it.
class LogitsAtOnce {
 public:
  explicit LogitsAtOnce(std::span<const float> logits);

  /// The first of the most probable tokens, without kPad and kBos. kEos where no other logit is a number.
  std::int32_t best() const { return best_; }
  /// By the model alone: natural logarithm. What is no number is the lowest one.
  double log_probability(std::int32_t token) const;

 private:
  std::span<const float> logits_;
  std::int32_t best_ = kEos;
  double log_sum_ = 0;
};

struct Drawn {
  std::int32_t token = 0;
  double log_probability = 0;  ///< by the model alone, before any option: natural logarithm
};

/// Draws tokens; keeps memory between calls. One thread's.
class Sampler {
 public:
  /// Throws InputError, naming the option, for one that cannot be.
  explicit Sampler(const SamplingOptions& options);

  /// logits: of all tokens; text: what they follow. uniform: from 0 to below 1, which decides. kPad and kBos
  /// are never drawn. The result depends on these alone. The first of equally probable tokens counts as the
  /// most probable. Where no other logit is a number, kEos is drawn.
  Drawn draw(std::span<const float> logits, std::span<const std::int32_t> text, double uniform);

 private:
  struct Candidate {
    std::int32_t token;
    double logit;
  };

  void penalise(std::span<const std::int32_t> text);
  void keep_likely();

  SamplingOptions options_;
  std::vector<double> logits_;
  std::vector<Candidate> candidates_;
};

}  // namespace transformer::search
