// Section 5.4: which elements dropout sets to zero: those that it does on the CPU (kernels/random_mask.h,
// ops/dropout.h), for a row that is a position of an example.
#pragma once

#include "transformer/gpu/source/phases.h"

namespace transformer::gpu {

struct RowMask {
  const Index* examples = nullptr;  // (rows)
  const Index* places = nullptr;    // (rows)
  const Wide* seed = nullptr;       // (1), of the update
  Index number = 0;                 // of the dropout in the update
  Word dropped = 0;                 // probability × 2^32; 0 keeps everything
  float scale = 1;
#ifndef __CUDACC_RTC__
  template <typename Visit>
  void pointers(Visit&& visit) {
    visit(examples), visit(places), visit(seed);
  }
#endif
};

/// base/random.h's.
TRANSFORMER_ON_GPU Wide mix(Wide seed, Index number) {
  Wide z = seed + (static_cast<Wide>(number) + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

TRANSFORMER_ON_GPU Wide seed_of(const RowMask& mask, Index row) {
  return mask.dropped == 0 ? 0 : mix(mix(mix(*mask.seed, mask.number), mask.examples[row]), mask.places[row]);
}

/// By what an element of the row with that seed is multiplied.
TRANSFORMER_ON_GPU float factor(const RowMask& mask, Wide seed, Word element) {
  if (mask.dropped == 0) return 1;
  Word x = element + static_cast<Word>(seed);
  x = (x ^ (x >> 16)) * 0x7feb352dU;
  x = (x ^ (x >> 15)) * 0x846ca68bU;
  x = (x ^ (x >> 16)) + static_cast<Word>(seed >> 32);
  x *= 0x7feb352dU;
  return (x ^ (x >> 15)) >= mask.dropped ? mask.scale : 0;
}

}  // namespace transformer::gpu
