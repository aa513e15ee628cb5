// Losses that a kernel computes row by row.
#pragma once

#include <torch/types.h>

#include "transformer/runtime/parallel.h"

namespace transformer::ops {

/// Adds the losses of all rows to smoothed and nll, (), on all threads. A row's own sums are kept apart, so
/// that the total does not depend on the number of threads. loss_of(row, double* smoothed, double* nll)
template <typename LossOf>
void add_row_losses(std::int64_t rows, torch::Tensor& smoothed, torch::Tensor& nll, LossOf&& loss_of) {
  auto sums = torch::zeros({rows, 2}, torch::kDouble);
  auto* own = sums.data_ptr<double>();
  runtime::parallel_for(0, rows, 8, [&](std::int64_t begin, std::int64_t end) {
    for (auto row = begin; row < end; ++row) loss_of(row, own + 2 * row, own + 2 * row + 1);
  });
  const auto total = sums.sum(0);
  smoothed += total[0];
  nll += total[1];
}

}  // namespace transformer::ops
