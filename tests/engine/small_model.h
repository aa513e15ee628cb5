// A small model whose weights are a formula, for tests with and without LibTorch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "transformer/models/options.h"

namespace transformer::test {

inline const models::ModelOptions kSmallModel{.encoder_layers = 2,
                                              .decoder_layers = 2,
                                              .d_model = 12,
                                              .d_ff = 20,
                                              .heads = 2,
                                              .d_k = 5,
                                              .d_v = 7,
                                              .attention_bias = true,
                                              .tie = nn::Tie::none};
inline constexpr models::VocabularySizes kSmallVocabulary{30, 30};

/// Number `i` of the weight of that name.
inline float small_weight(std::string_view name, std::int64_t i) {
  std::uint64_t hash = 14695981039346656037ULL + static_cast<std::uint64_t>(i);  // FNV-1a, then a finaliser
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccdULL;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  const auto even = static_cast<float>(hash >> 40) / static_cast<float>(1 << 23) - 1;  // -1 … 1
  return name.ends_with("norm.weight") ? 1 + 0.2F * even : 0.9F * even;
}

}  // namespace transformer::test
