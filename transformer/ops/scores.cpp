#include "transformer/ops/scores.h"

#include <cmath>

namespace transformer::ops {
namespace {

/// Scores that are rounded to bf16 have lost what the softmax makes of them.
torch::Tensor wide(const torch::Tensor& x) {
  return x.to(torch::promote_types(x.scalar_type(), torch::kFloat));
}

}  // namespace

torch::Tensor additive_scores(const torch::Tensor& query, const torch::Tensor& key,
                              const torch::Tensor& weight) {
  const auto hidden = (wide(query).unsqueeze(3) + wide(key).unsqueeze(2)).tanh();  // (B, H, T, S, K)
  return torch::matmul(hidden, weight.to(hidden).unsqueeze(-1).unsqueeze(1)).squeeze(-1);
}

torch::Tensor distance_scores(const torch::Tensor& query, const torch::Tensor& vectors,
                              const torch::Tensor& rows) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(query.size(-1)));
  const auto queries = wide(query) * scale;
  const auto products = torch::matmul(queries, vectors.to(queries).t());  // (B, H, T, R)
  return torch::take_along_dim(products, rows.unsqueeze(0).unsqueeze(0), -1);
}

torch::Tensor distance_values(const torch::Tensor& weights, const torch::Tensor& vectors,
                              const torch::Tensor& rows) {
  // The weights of equal distances are added up first.
  const auto all = wide(weights);
  const auto none = torch::zeros_like(all.select(-1, 0)).unsqueeze(-1) +
                    torch::zeros_like(vectors.detach().select(1, 0)).to(all);
  const auto of_distances = none.scatter_add(-1, rows.expand_as(all), all);  // (B, H, T, R)
  return torch::matmul(of_distances.to(vectors.scalar_type()), vectors);
}

}  // namespace transformer::ops
