// Rotary positions: neighbouring elements of each head's queries and keys are turned by an angle of their own
// (RoFormer, Su et al. 2021, section 3.2).
#pragma once

#include "transformer/kernels/bf16.h"
#include "transformer/kernels/isa.h"

namespace transformer::kernels {

/// Row r of the table is for row r of the data. Elements 2i and 2i + 1 of each head, (a, b), become
///
///   (a cos θᵢ - b sin θᵢ, a sin θᵢ + b cos θᵢ).
template <typename T>
struct Rotation {
  std::int64_t rows = 0;
  std::int64_t heads = 0;
  std::int64_t size = 0;          ///< of a head; even
  std::int64_t head_stride = 0;   ///< from one head to the next
  T* data = nullptr;              ///< in, out
  std::int64_t stride = 0;        ///< from one row to the next
  const float* cosine = nullptr;  ///< (rows, size): cos θᵢ, cos θᵢ for each i
  const float* sine = nullptr;    ///< (rows, size): -sin θᵢ, sin θᵢ for each i
  std::int64_t table_stride = 0;  ///< from one row of the table to the next; 0: one row for all
  float direction = 1.0F;         ///< -1 rotates back
};

struct RotationKernels {
  void (*rotate)(const Rotation<float>&);
  void (*rotate_bf16)(const Rotation<Bf16>&);
};
TRANSFORMER_KERNELS(RotationKernels, rotation)

}  // namespace transformer::kernels
