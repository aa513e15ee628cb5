// What tests of kernels share.
#pragma once

#include <torch/types.h>

#include <vector>

#include "tests/catch.h"
#include "transformer/kernels/bf16.h"
#include "transformer/kernels/isa.h"

namespace transformer::kernels::test {

/// The levels of vector instructions that this CPU has.
inline std::vector<Isa> levels() {
  std::vector<Isa> all;
  for (const auto isa : {Isa::portable, Isa::avx2, Isa::avx512, Isa::avx512bf16, Isa::amx})
    if (isa <= best_isa()) all.push_back(isa);
  return all;
}

inline float* floats(const torch::Tensor& x) {
  return x.data_ptr<float>();
}

inline Bf16* halves(const torch::Tensor& x) {
  return reinterpret_cast<Bf16*>(x.data_ptr<at::BFloat16>());
}

template <typename T>
T* data(const torch::Tensor& x) {
  if constexpr (std::is_same_v<T, float>)
    return floats(x);
  else
    return halves(x);
}

/// Calls a kernel's function for floats or for halves, whichever the work is of.
template <template <typename> class Work, typename T>
void run(void (*floats)(const Work<float>&), void (*halves)(const Work<Bf16>&), const Work<T>& work) {
  if constexpr (std::is_same_v<T, float>)
    floats(work);
  else
    halves(work);
}

/// Relative to the largest element expected. expected: fp64
inline void check_close(const torch::Tensor& found, const torch::Tensor& expected, double tolerance) {
  const auto difference = (found.to(torch::kDouble) - expected).abs().max().item<double>();
  CHECK(difference <= tolerance * (1.0 + expected.abs().max().item<double>()));
}

}  // namespace transformer::kernels::test
