// From tensors to kernels: which tensors the kernels can take, and rows spread over threads.
#pragma once

#include <torch/types.h>

#include "transformer/kernels/bf16.h"
#include "transformer/kernels/dropout_mask.h"
#include "transformer/ops/tracing.h"
#include "transformer/runtime/parallel.h"

namespace transformer::ops {

/// Whether our own autograd functions take this tensor: on the CPU by kernels, which know fp32 and bf16, on
/// another device by LibTorch's operations, in fp16, too. Of other types, and in traces, the definition
/// computes.
inline bool has_functions(const torch::Tensor& x) {
  const auto type = x.scalar_type();
  const bool known =
      type == torch::kFloat || type == torch::kBFloat16 || (type == torch::kHalf && !x.is_cpu());
  return known && !tracing();
}

/// Whether there are kernels for this tensor: on the CPU, in fp32 or bf16.
inline bool has_kernels(const torch::Tensor& x) {
  return x.is_cpu() && has_functions(x);
}

template <typename T>
T* kernel_data(const torch::Tensor& x) {
  if constexpr (std::is_same_v<T, float>)
    return x.data_ptr<float>();
  else
    return reinterpret_cast<kernels::Bf16*>(x.data_ptr<at::BFloat16>());
}

/// Calls body with a float or a Bf16, whichever the tensor holds.
template <typename Body>
void with_type_of(const torch::Tensor& x, Body&& body) {
  if (x.scalar_type() == torch::kFloat)
    body(float{});
  else
    body(kernels::Bf16{});
}

/// Calls a kernel's function for floats or for halves, whichever the work is of.
template <template <typename> class Work, typename T>
void run_kernel(void (*floats)(const Work<float>&), void (*halves)(const Work<kernels::Bf16>&),
                const Work<T>& work) {
  if constexpr (std::is_same_v<T, float>)
    floats(work);
  else
    halves(work);
}

/// Calls body(begin, end) for parts of 0 … rows - 1, on all threads.
template <typename Body>
void parallel_rows(std::int64_t rows, Body&& body) {
  constexpr std::int64_t least = 64;  // rows that are worth a thread
  runtime::parallel_for(0, rows, least, body);
}

/// Sums over rows, at most two vectors of `width`. Each block of rows adds to its own vectors, and these are
/// added in order. So the result does not depend on the number of threads. body(begin, end, float* sums) →
/// (count, width)
template <typename Body>
torch::Tensor sum_over_blocks(std::int64_t rows, std::int64_t count, std::int64_t width, Body&& body) {
  constexpr std::int64_t block = 256;
  const auto blocks = (rows + block - 1) / block;
  auto sums = torch::zeros({blocks, count, width});
  runtime::parallel_for(0, blocks, 1, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = begin; i < end; ++i)
      body(i * block, std::min(rows, (i + 1) * block), sums.data_ptr<float>() + i * count * width);
  });
  return sums.sum(0);
}

/// The seeds of the rows of the next dropout's mask (dropout.h), for a tensor of x's shape: (rows), 64 bits
/// each; undefined where p is 0.
torch::Tensor draw_row_seeds(const torch::Tensor& x, double p);

/// x, (…, D), by the mask of these seeds, one for each of its rows.
torch::Tensor masked(const torch::Tensor& x, const torch::Tensor& seeds, double p);

/// The mask of these seeds, which it refers to; that drops nothing where p is 0.
kernels::DropoutMask dropout_mask(double p, const torch::Tensor& seeds);

}  // namespace transformer::ops
